import { getDocumentProxy } from 'unpdf'
import { DocumentError, lockedByPassword, tooMuchText } from '../document.ts'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>
interface Line {
  text: string
  readonly top: number
  readonly height: number
}

/** A gap of more than this many line heights starts a new paragraph. */
const PARAGRAPH_GAP = 1.7

/** Converts a PDF to paragraphs, with a heading for each page. */
export async function readPdf(bytes: Uint8Array, limit: number): Promise<{ markdown: string; title: unknown }> {
  const pdf = await open(bytes)
  const pages: string[] = []
  let length = 0
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const text = await pageText(pdf, number)
    if (text === '') continue
    pages.push(pdf.numPages === 1 ? text : `## Page ${number}\n\n${text}`)
    length += text.length
    if (length > limit) throw tooMuchText(limit)
  }
  if (pages.length === 0) {
    throw new DocumentError('empty', 'The PDF contains only pictures. Recognise its text (OCR) and upload the result.')
  }
  const info = ((await pdf.getMetadata().catch(() => undefined))?.info ?? {}) as { Title?: unknown }
  return { markdown: pages.join('\n\n'), title: info.Title }
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(bytes, { verbosity: 0, useSystemFonts: false, enableXfa: false })
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') throw lockedByPassword()
    throw new DocumentError('broken', DAMAGED)
  }
}

async function pageText(pdf: Pdf, number: number): Promise<string> {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    page.cleanup()
    return paragraphs(linesOf(items))
  } catch {
    throw new DocumentError('broken', DAMAGED)
  }
}

const DAMAGED = 'The PDF is damaged or incomplete. Save it again from the program that created it, or print it to PDF.'

function linesOf(items: readonly object[]): Line[] {
  const lines: Line[] = []
  let open = false
  for (const item of items) {
    if (!('str' in item)) continue
    const { str, transform, height, hasEOL } = item as { str: string; transform: number[]; height: number; hasEOL: boolean }
    const last = lines.at(-1)
    if (open && last) last.text += str
    else lines.push({ text: str, top: transform[5] ?? 0, height })
    open = !hasEOL
  }
  return lines
}

function paragraphs(lines: readonly Line[]): string {
  let text = ''
  let previous: Line | undefined
  for (const line of lines) {
    const words = line.text.replace(/\s+/g, ' ').trim()
    if (words === '') continue
    if (previous) {
      const gap = previous.top - line.top
      const isNewParagraph = gap < 0 || gap > PARAGRAPH_GAP * Math.max(previous.height, line.height, 1)
      if (isNewParagraph) text += '\n\n'
      // Joins a word that is hyphenated at the end of a line.
      else if (/\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(words)) text = text.slice(0, -1)
      else text += ' '
    }
    text += words
    previous = line
  }
  return text
}
