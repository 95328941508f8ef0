import { basename } from 'node:path'
import {
  DEFAULT_LIMITS,
  DOCX,
  DocumentError,
  EPUB,
  type FileContent,
  type Limits,
  MAIL,
  NOTEBOOK,
  ODP,
  ODS,
  ODT,
  type ParsedDocument,
  type ParseOptions,
  PPTX,
  tooMuchText,
  XLSX,
} from './document.ts'
import { type Content, detectType } from './media-type.ts'
import { pictureTypeOf } from './picture-type.ts'
import { asTitle, cleanText } from './text.ts'
import { Warnings } from './warning.ts'
import { detectZipType, isZip } from './zip-type.ts'

/** Parses a file in the current thread. Call parser-pool.ts to use a worker thread. */
export async function parseFile(bytes: Uint8Array, options: ParseOptions): Promise<ParsedDocument> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  if (bytes.length === 0) throw emptyFileError()
  const warnings = new Warnings()
  const content = await contentOf(bytes, options, warnings)
  const result = await readFormat(content, bytes, { ...options, limits }, warnings)
  const markdown = cleanText(result.markdown)
  if (markdown === '') throw emptyFileError()
  if (markdown.length > limits.characters) throw tooMuchText(limits.characters)
  return {
    title: asTitle(result.title) ?? firstHeading(markdown) ?? stem(options.name),
    markdown,
    mediaType: content.mediaType,
    ...(result.frontMatter === undefined ? {} : { frontMatter: result.frontMatter }),
    warnings: warnings.all(),
    attachments: result.attachments ?? [],
  }
}

async function contentOf(bytes: Uint8Array, options: ParseOptions, warnings: Warnings): Promise<Content> {
  if (isZip(bytes)) return { mediaType: await detectZipType(bytes) }
  const picture = options.recognised && pictureTypeOf(bytes)
  if (!picture) return detectType(bytes, options.name, options.mediaType, warnings)
  warnings.add('recognised')
  return { mediaType: picture, text: options.recognised?.join('\n\n') ?? '' }
}

const emptyFileError = () => new DocumentError('empty', 'The file contains no text. Upload a file with text.')

/** Loads a format's parser at its first file, because most installations use few formats. */
async function readFormat(
  { mediaType, text = '' }: Content,
  bytes: Uint8Array,
  { name, mediaType: given, limits, recognised }: ParseOptions & { readonly limits: Omit<Limits, 'milliseconds'> },
  warnings: Warnings,
): Promise<FileContent> {
  switch (mediaType) {
    case 'text/markdown': {
      const { splitFrontMatter } = await import('./formats/front-matter.ts')
      const { body, values } = splitFrontMatter(text)
      return { markdown: body, title: values?.title, frontMatter: values }
    }
    case 'text/html':
      return (await import('./formats/html.ts')).readHtml(text, warnings)
    case 'text/csv':
      return {
        markdown: (await import('./formats/csv.ts')).readCsv(text, limits.characters, isTabbed(name, given) ? '\t' : undefined),
      }
    case 'application/json':
      return (await import('./formats/json.ts')).readJson(text, limits.characters)
    case 'application/x-ndjson':
      return { markdown: (await import('./formats/json.ts')).readJsonLines(text, limits.characters), title: '' }
    case 'application/pdf':
      return await (await import('./formats/pdf.ts')).readPdf(bytes, limits.characters, warnings, recognised)
    case DOCX:
      return await (await import('./formats/docx.ts')).readDocx(bytes, warnings)
    case XLSX:
      return await (await import('./formats/xlsx.ts')).readXlsx(bytes, limits.characters, warnings)
    case PPTX:
      return await (await import('./formats/pptx.ts')).readPptx(bytes, warnings)
    case ODT:
    case ODS:
    case ODP:
      return await (await import('./formats/odf.ts')).readOdf(bytes, limits.characters, warnings)
    case EPUB:
      return await (await import('./formats/epub.ts')).readEpub(bytes, warnings)
    case MAIL:
      return await (await import('./formats/mail.ts')).readMail(bytes, limits.characters, warnings)
    case NOTEBOOK:
      return (await import('./formats/notebook.ts')).readNotebook(text, limits.characters, warnings)
    case 'text/plain':
    case 'image/png':
    case 'image/jpeg':
    case 'image/gif':
    case 'image/tiff':
    case 'image/webp':
      return { markdown: text }
  }
}

const isTabbed = (name: string, mediaType = ''): boolean => /\.tsv$/i.test(name) || /^text\/tab-separated/i.test(mediaType)

/** The text of the first level-1 heading. */
export function firstHeading(markdown: string): string | undefined {
  const line = /^#[ \t](.{1,1000})$/m.exec(markdown)?.[1]
  return asTitle(line && withoutClosingMarks(line))
}

/** Removes the closing marks of `# Title ##`. */
function withoutClosingMarks(heading: string): string {
  let end = heading.length
  while (end > 0 && ' \t#'.includes(heading.charAt(end - 1))) end--
  return heading.slice(0, end)
}

function stem(name: string): string {
  const file = basename(name.replaceAll('\\', '/'))
  return asTitle(file.replace(/(?<=.)\.[a-z0-9]{1,8}$/i, '')) ?? 'Untitled'
}
