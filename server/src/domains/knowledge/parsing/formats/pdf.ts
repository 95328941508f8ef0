import { getDocumentProxy } from 'unpdf'
import { DocumentError, type FileContent, lockedByPassword, tooMuchText } from '../document.ts'
import type { Warnings } from '../warning.ts'
import { type FileReference, filesOf, readFiles } from './pdf/attachments.ts'
import { resolveHyphens } from './pdf/hyphens.ts'
import { type PageText, readPage } from './pdf/page.ts'
import type { Pdf } from './pdf/pdf-document.ts'

type Layers = Awaited<ReturnType<Pdf['getOptionalContentConfig']>>

/** pdf.js keeps the objects that pages share, also those that no later page has. */
const KEPT_PAGES = 100

/** Converts a PDF to paragraphs and tables, with a heading for each page. */
export async function readPdf(
  bytes: Uint8Array,
  limit: number,
  warnings: Warnings,
  recognised?: readonly string[],
): Promise<FileContent> {
  const pdf = await open(bytes)
  if (recognised && recognised.length !== pdf.numPages) throw wrongPages(recognised.length, pdf.numPages)
  const layers = await pdf.getOptionalContentConfig().catch(() => undefined)
  const pages: string[] = []
  const files: FileReference[] = [...(await filesOf(pdf))]
  let length = 0
  let unmapped = 0
  let failed = 0
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pageText(pdf, number, layers)
    if (page === undefined) failed += 1
    const text = page?.text || recognised?.[number - 1]?.trim() || ''
    if (page?.text === '' && text !== '') warnings.add('recognised', { place: `page ${number}` })
    else report(page, `page ${number}`, warnings)
    files.push(...(page?.files ?? []))
    unmapped += page?.unmapped ?? 0
    if (text === '') continue
    pages.push(pdf.numPages === 1 ? text : `## Page ${number}\n\n${text}`)
    length += text.length
    if (length > limit) throw tooMuchText(limit)
    if (number % KEPT_PAGES === 0) await pdf.cleanup()
  }
  if (failed === pdf.numPages) throw new DocumentError('broken', DAMAGED)
  const { info, isForm } = await metadata(pdf)
  if (isForm) warnings.add('form', { detail: 'XFA' })
  if (pages.length === 0) throw new DocumentError('empty', unmapped > 0 ? NO_LETTERS : ONLY_PICTURES)
  return { markdown: resolveHyphens(pages.join('\n\n')), title: info.Title, attachments: await readFiles(pdf, files, warnings) }
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  // Pictures are not decoded. The fonts' maps tell which letters are known.
  const options = { verbosity: 0, useSystemFonts: false, enableXfa: false, maxImageSize: 0, fontExtraProperties: true }
  try {
    return await getDocumentProxy(bytes, options)
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') throw lockedByPassword()
    throw new DocumentError('broken', DAMAGED)
  }
}

/** Undefined if the page is damaged. */
async function pageText(pdf: Pdf, number: number, layers: Layers | undefined): Promise<PageText | undefined> {
  try {
    return await readPage(await pdf.getPage(number), (group) => !group || (layers?.isVisible(group) ?? true))
  } catch {
    return undefined
  }
}

function report(page: PageText | undefined, place: string, warnings: Warnings): void {
  if (page === undefined) {
    warnings.add('ignored_part', { place })
    return
  }
  const { text, hidden, pictures, shapes, unmapped } = page
  warnings.add('hidden_text', { place, count: hidden })
  warnings.add('font_without_map', { place, count: unmapped })
  if (text === '' && unmapped === 0 && pictures + shapes > 0)
    warnings.add('page_without_text', { place, count: Math.max(pictures, 1) })
  else warnings.add('picture', { place, count: pictures })
}

interface PdfInfo {
  readonly Title?: unknown
  readonly IsXFAPresent?: boolean
  readonly IsAcroFormPresent?: boolean
}

/** `isForm`: a form whose pages only Adobe's programs show. */
async function metadata(pdf: Pdf): Promise<{ info: PdfInfo; isForm: boolean }> {
  const info = ((await pdf.getMetadata().catch(() => undefined))?.info ?? {}) as PdfInfo
  return { info, isForm: info.IsXFAPresent === true && info.IsAcroFormPresent !== true }
}

const wrongPages = (recognised: number, pages: number) =>
  new DocumentError(
    'ocr_failed',
    `The text recognition returned ${recognised} pages for a PDF of ${pages}. It must end each page with a form feed.`,
  )

const DAMAGED = 'The PDF is damaged or incomplete. Save it again from the program that created it, or print it to PDF.'
const ONLY_PICTURES = 'The PDF contains only pictures. Recognise its text (OCR) and upload the result.'
const NO_LETTERS =
  'The fonts of the PDF do not say which letters they show. Save it again from the program that created it, or recognise its text (OCR).'
