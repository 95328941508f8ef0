import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { pdfFile, text } from '../../../test/support/documents/pdf.ts'
import { startLoopback } from '../../../test/support/loopback.ts'
import { readOcrConfig } from '../../platform/config/services.ts'
import { countFindings } from '../../shared/finding.ts'
import { openOcr } from './ocr.ts'
import { readDocument } from './read-document.ts'

const PICTURE = Buffer.from('89504e470d0a1a0a0000000d', 'hex')
const SCAN = '50 50 m 60 80 l 70 50 l f'
const scanText = () => countFindings([])

/** A program in place of an OCR program: `print` writes, `input` is the file. */
const program = (code: string): string =>
  JSON.stringify([
    process.execPath,
    '-e',
    `const print = (text) => process.stdout.write(text); const input = require('node:fs').readFileSync(0); ${code}`,
  ])
const openCommand = (code: string, more = {}) =>
  openOcr(readOcrConfig({ PATH: process.env.PATH, GATEHOUSE_OCR_COMMAND: program(code), ...more }))

const read = async (bytes: Buffer, name: string, ocr: ReturnType<typeof openOcr>) => {
  const { title, mediaType, chunks, warnings } = await readDocument({ bytes, name }, { scanText, language: 'en', ocr })
  return { title, mediaType, content: chunks.map(({ content }) => content).join('\n'), warnings }
}
const failure = (reason: string) => ({ code: 'ocr_failed', message: expect.stringContaining(reason) })

describe('OCR by a program', () => {
  test('reads a picture', async () => {
    expect(await read(PICTURE, 'sign.png', openCommand('print("Closed on " + input.length + "\\n\\f")'))).toEqual({
      title: 'sign',
      mediaType: 'image/png',
      content: 'Closed on 12',
      warnings: [{ kind: 'recognised', count: 1 }],
    })
  })

  test('reads the pages of a PDF that have no text, and only those', async () => {
    const pdf = pdfFile({ pages: [{ content: text(50, 700, 'Cover letter') }, { content: SCAN }, { content: SCAN }] })
    const ocr = openCommand('print("COVER LETTER\\fWord: obsidian.\\f\\f")')
    expect(await read(pdf, 'a.pdf', ocr)).toMatchObject({
      mediaType: 'application/pdf',
      content: '## Page 1\n\nCover letter\n\n## Page 2\n\nWord: obsidian.',
      warnings: [
        { kind: 'recognised', place: 'page 2', count: 1 },
        { kind: 'page_without_text', place: 'page 3', count: 1 },
      ],
    })
  })

  test('reads a PDF that contains only pictures', async () => {
    const pdf = pdfFile({ pages: [{ content: SCAN }] })
    expect(await read(pdf, 'a.pdf', openCommand('print("Word: peridot.")'))).toMatchObject({ content: 'Word: peridot.' })
    await expect(read(pdf, 'a.pdf', undefined)).rejects.toMatchObject({ code: 'empty' })
    await expect(read(PICTURE, 'a.png', undefined)).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('is not asked about other files', async () => {
    const pdf = pdfFile({ pages: [{ content: text(50, 700, 'Cover letter') }] })
    const never = openCommand('process.exit(7)')
    expect(await read(pdf, 'a.pdf', never)).toMatchObject({ content: 'Cover letter' })
    expect(await read(Buffer.from('# Text'), 'a.md', never)).toMatchObject({ content: '# Text' })
    await expect(read(Buffer.from('%PDF-1.4\nnothing'), 'a.pdf', never)).rejects.toMatchObject({ code: 'broken' })
  })

  test('gets no secrets of the server', async () => {
    const ocr = openCommand('print(Object.keys(process.env).join(" ") + " ok")', {
      GATEHOUSE_SECRET_KEY: 's'.repeat(40),
      LANG: 'C',
    })
    expect((await read(PICTURE, 'a.png', ocr)).content).toBe('PATH LANG ok')
  })

  test.each([
    ['its status is not 0', 'process.exit(3)', 'status 3'],
    ['it writes too much', 'for (;;) require("node:fs").writeSync(1, "x".repeat(1 << 20))', 'too much text'],
    ['its pages are not those of the PDF', 'print("one\\ftwo")', 'returned 2 pages for a PDF of 1'],
  ])('fails the document when %s', async (_, code, reason) => {
    await expect(read(pdfFile({ pages: [{ content: SCAN }] }), 'a.pdf', openCommand(code))).rejects.toMatchObject(failure(reason))
  })

  test('fails the document when it takes longer than its time limit, or does not exist', async () => {
    const slow = openCommand('setInterval(() => {}, 1_000)', { GATEHOUSE_OCR_SECONDS: '1' })
    await expect(read(PICTURE, 'a.png', slow)).rejects.toMatchObject(failure('SIGKILL after at most 1 s'))
    const absent = openOcr(readOcrConfig({ GATEHOUSE_OCR_COMMAND: '/nowhere/ocr --fast' }))
    await expect(read(PICTURE, 'a.png', absent)).rejects.toMatchObject(failure('ENOENT'))
  })
})

describe('OCR by a server', async () => {
  let status = 200
  const { url } = await closeAfterAll(
    startLoopback((request, response, body) =>
      response
        .writeHead(status, { 'content-type': 'text/plain' })
        .end(`${request.method} ${request.headers['content-type']} ${body.length}`),
    ),
  )
  const ocr = openOcr(readOcrConfig({ GATEHOUSE_OCR_URL: url }))

  test('gets the file and returns its text', async () => {
    status = 200
    expect((await read(PICTURE, 'a.png', ocr)).content).toBe('POST image/png 12')
  })

  test('fails the document when the server fails or does not respond', async () => {
    status = 503
    await expect(read(PICTURE, 'a.png', ocr)).rejects.toMatchObject(failure('status 503'))
    const absent = openOcr(readOcrConfig({ GATEHOUSE_OCR_URL: 'http://127.0.0.1:1/' }))
    await expect(read(PICTURE, 'a.png', absent)).rejects.toMatchObject(failure('ECONNREFUSED'))
    const metadata = openOcr(readOcrConfig({ GATEHOUSE_OCR_URL: 'http://169.254.169.254/ocr' }))
    await expect(read(PICTURE, 'a.png', metadata)).rejects.toMatchObject(failure('ERR_ADDRESS_REFUSED'))
  })
})
