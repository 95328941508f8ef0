import { buffer } from 'node:stream/consumers'
import mammoth from 'mammoth'
import { fromBufferPromise } from 'yauzl'
import { DocumentError, lockedByPassword, megabytes } from '../document.ts'
import { readHtml } from './html.ts'

/** Limit of the unpacked XML. A book of a thousand pages has about 10 MB. */
const MAX_XML = 64 << 20
const IS_XML = /\.(?:xml|rels)$/i

/** Converts a Word file to Markdown, without pictures. mammoth unpacks without a limit, so it receives the unpacked XML files. */
export async function readDocx(bytes: Uint8Array): Promise<{ markdown: string; title?: unknown }> {
  const files = await unzip(bytes, (name) => IS_XML.test(name), MAX_XML)
  const html = await convert(files)
  return { markdown: readHtml(html).markdown, title: titleIn(textOf(files, 'docProps/core.xml')) }
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

function titleIn(properties: string): string | undefined {
  const text = /<dc:title[^>]*>([^<]{1,1000})<\/dc:title>/.exec(properties)?.[1]
  return text?.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: keyof typeof ENTITIES) => ENTITIES[entity])
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' } as const

export type Files = ReadonlyMap<string, Buffer>

/**
 * Unpacks the entries that `isWanted` accepts, to at most `limit` bytes in total. yauzl fails for an entry whose unpacked size
 * differs from the size that the archive states.
 */
export async function unzip(bytes: Uint8Array, isWanted: (name: string) => boolean, limit: number): Promise<Files> {
  const files = new Map<string, Buffer>()
  let remaining = limit
  try {
    const archive = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    for await (const entry of archive.eachEntry()) {
      if (!isWanted(entry.fileName)) continue
      if (entry.isEncrypted()) throw lockedByPassword()
      remaining -= entry.uncompressedSize
      if (remaining < 0) {
        const message = `The file unpacks to more than ${megabytes(limit)}. Split it into several files.`
        throw new DocumentError('too_large', message)
      }
      files.set(entry.fileName, await buffer(await archive.openReadStreamPromise(entry)))
    }
  } catch (error) {
    if (error instanceof DocumentError) throw error
    throw new DocumentError('broken', 'The file is damaged or incomplete. Save it again from the program that created it.', error)
  }
  return files
}
