import mammoth from 'mammoth'
import { DocumentError } from '../document.ts'
import { unzip, zipStored } from '../zip.ts'
import { readHtml } from './html.ts'

/** What the XML in a file may unfold to; a book of a thousand pages has some 10 MB. */
const MAX_XML = 64 << 20
const IS_XML = /\.(?:xml|rels)$/i

/**
 * A Word file's text as Markdown. mammoth gets an archive packed anew from the XML files alone: its own unpacking knows no limit,
 * and pictures are not read.
 */
export async function readDocx(bytes: Uint8Array): Promise<{ markdown: string; title?: unknown; language?: unknown }> {
  const files = unzip(bytes, (name) => IS_XML.test(name), MAX_XML)
  const html = await convert(zipStored(files))
  const properties = Buffer.from(files.get('docProps/core.xml') ?? []).toString('utf8')
  return {
    markdown: readHtml(html).markdown,
    title: property(properties, 'dc:title'),
    language: property(properties, 'dc:language'),
  }
}

async function convert(buffer: Buffer): Promise<string> {
  try {
    const convertImage = mammoth.images.imgElement(async () => ({ src: '' }))
    const options = { convertImage, includeEmbeddedStyleMap: false, externalFileAccess: false }
    return (await mammoth.convertToHtml({ buffer }, options)).value
  } catch {
    throw new DocumentError('broken', 'The Word file is damaged or incomplete. Open it in Word and save it anew.')
  }
}

function property(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}[^>]*>([^<]{1,1000})</${name}>`).exec(xml)?.[1]
  return text?.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: keyof typeof ENTITIES) => ENTITIES[entity])
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' } as const
