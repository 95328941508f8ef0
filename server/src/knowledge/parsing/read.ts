import { basename } from 'node:path'
import {
  DEFAULT_LIMITS,
  DOCX,
  DocumentError,
  type FrontMatter,
  type Limits,
  type ParsedDocument,
  type ParseOptions,
  tooMuchText,
} from './document.ts'
import { type Content, recognise } from './media-type.ts'
import { asLanguage, asTitle, cleanText } from './text.ts'

/** What a format's reader found. Title and language are the file's own words, not yet checked. */
interface Reading {
  readonly markdown: string
  readonly title?: unknown
  readonly language?: unknown
  readonly frontMatter?: FrontMatter | undefined
}

/** Reads a file, in the thread that calls: parse.ts is the way in. */
export async function readDocument(bytes: Uint8Array, options: ParseOptions): Promise<ParsedDocument> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  if (bytes.length === 0) throw nothingInIt()
  const content = recognise(bytes, options.name, options.mediaType)
  const reading = await read(content, bytes, limits)
  const markdown = cleanText(reading.markdown)
  if (markdown === '') throw nothingInIt()
  if (markdown.length > limits.characters) throw tooMuchText(limits.characters)
  const language = asLanguage(reading.language)
  return {
    title: asTitle(reading.title) ?? firstHeading(markdown) ?? stem(options.name),
    markdown,
    mediaType: content.mediaType,
    ...(language === undefined ? {} : { language }),
    ...(reading.frontMatter === undefined ? {} : { frontMatter: reading.frontMatter }),
  }
}

function nothingInIt(): DocumentError {
  return new DocumentError('empty', 'There is no text in the file. Upload one that has some.')
}

/** Formats are loaded when first met: most files are of one or two. */
async function read({ mediaType, text = '' }: Content, bytes: Uint8Array, limits: Limits): Promise<Reading> {
  switch (mediaType) {
    case 'text/markdown': {
      const { splitFrontMatter } = await import('./formats/front-matter.ts')
      const { body, language, values } = splitFrontMatter(text)
      return { markdown: body, title: values?.title, language, frontMatter: values }
    }
    case 'text/html':
      return (await import('./formats/html.ts')).readHtml(text)
    case 'text/csv':
      return { markdown: (await import('./formats/csv.ts')).readCsv(text, limits.characters) }
    case 'application/json':
      return (await import('./formats/json.ts')).readJson(text, limits.characters)
    case 'application/x-ndjson':
      return { markdown: (await import('./formats/json.ts')).readJsonLines(text, limits.characters), title: '' }
    case 'application/pdf':
      return await (await import('./formats/pdf.ts')).readPdf(bytes, limits.characters)
    case DOCX:
      return await (await import('./formats/docx.ts')).readDocx(bytes)
    case 'text/plain':
      return { markdown: text }
  }
}

/** The text of the first heading of the first level. */
export function firstHeading(markdown: string): string | undefined {
  const line = /^#[ \t](.{1,1000})$/m.exec(markdown)?.[1]
  return asTitle(line && withoutClosingMarks(line))
}

/** `# Title ##` is the title alone. */
function withoutClosingMarks(heading: string): string {
  let end = heading.length
  while (end > 0 && ' \t#'.includes(heading.charAt(end - 1))) end--
  return heading.slice(0, end)
}

function stem(name: string): string {
  const file = basename(name.replaceAll('\\', '/'))
  return asTitle(file.replace(/(?<=.)\.[a-z0-9]{1,8}$/i, '')) ?? 'Untitled'
}
