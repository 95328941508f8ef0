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
import { type Content, detectType } from './media-type.ts'
import { asTitle, cleanText } from './text.ts'

/** Parses a file in the current thread. Call parser-pool.ts to use a worker thread. */
export async function parseFile(bytes: Uint8Array, options: ParseOptions): Promise<ParsedDocument> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  if (bytes.length === 0) throw emptyFileError()
  const content = detectType(bytes, options.name, options.mediaType)
  const result = await readFormat(content, bytes, limits)
  const markdown = cleanText(result.markdown)
  if (markdown === '') throw emptyFileError()
  if (markdown.length > limits.characters) throw tooMuchText(limits.characters)
  return {
    title: asTitle(result.title) ?? firstHeading(markdown) ?? stem(options.name),
    markdown,
    mediaType: content.mediaType,
    ...(result.frontMatter === undefined ? {} : { frontMatter: result.frontMatter }),
  }
}

const emptyFileError = () => new DocumentError('empty', 'The file contains no text. Upload a file with text.')

/** Loads a format's parser at its first file, because most installations use few formats. */
async function readFormat(
  { mediaType, text = '' }: Content,
  bytes: Uint8Array,
  limits: Limits,
): Promise<{ markdown: string; title?: unknown; frontMatter?: FrontMatter | undefined }> {
  switch (mediaType) {
    case 'text/markdown': {
      const { splitFrontMatter } = await import('./formats/front-matter.ts')
      const { body, values } = splitFrontMatter(text)
      return { markdown: body, title: values?.title, frontMatter: values }
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
