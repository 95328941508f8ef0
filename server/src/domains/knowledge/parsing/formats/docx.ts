import mammoth from 'mammoth'
import { DocumentError } from '../document.ts'
import { type Files, unzip } from '../zip.ts'
import { readHtml } from './html.ts'

/** Limit of the unpacked XML. A book of a thousand pages has about 10 MB. */
const MAX_XML = 64 << 20
const IS_XML = /\.(?:xml|rels)$/i

/** Converts a Word file to Markdown, without pictures. mammoth unpacks without a limit, so it receives the unpacked XML files. */
export async function readDocx(bytes: Uint8Array): Promise<{ markdown: string; title?: unknown; language?: unknown }> {
  const files = await unzip(bytes, (name) => IS_XML.test(name), MAX_XML)
  const html = await convert(files)
  const properties = textOf(files, 'docProps/core.xml')
  return {
    markdown: readHtml(html).markdown,
    title: property(properties, 'dc:title'),
    language: property(properties, 'dc:language'),
  }
}

async function convert(files: Files): Promise<string> {
  // @NOTE mammoth 1.13 accepts unpacked files, although its types do not say so.
  const file = { exists: (name: string) => files.has(name), read: async (name: string) => textOf(files, name) }
  try {
    const convertImage = mammoth.images.imgElement(async () => ({ src: '' }))
    const options = { convertImage, includeEmbeddedStyleMap: false, externalFileAccess: false }
    return (await mammoth.convertToHtml({ file } as never, options)).value
  } catch {
    throw new DocumentError('broken', 'The Word file is damaged or incomplete. Open it in Word and save it again.')
  }
}

/** Empty for a missing file. Decodes UTF-8 and removes the byte order mark. */
const textOf = (files: Files, name: string): string => new TextDecoder().decode(files.get(name))

function property(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}[^>]*>([^<]{1,1000})</${name}>`).exec(xml)?.[1]
  return text?.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: keyof typeof ENTITIES) => ENTITIES[entity])
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' } as const
