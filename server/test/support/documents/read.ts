import { parseFile } from '../../../src/domains/knowledge/parsing/parse-file.ts'
import { WARNINGS, type Warning } from '../../../src/domains/knowledge/parsing/warning.ts'

/** Reads a file in this thread. `warnings` have the form `kind`, `kind detail`, with `×2` for several and `at place`. */
export async function read(content: string | Uint8Array, name: string, mediaType?: string) {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const { title, markdown, warnings, attachments, mediaType: type } = await parseFile(bytes, { name, mediaType })
  return { title, markdown, warnings: warnings.map(nameOf), attachments, mediaType: type }
}

function nameOf({ kind, detail, place, count }: Warning): string {
  if (!(kind in WARNINGS)) throw new Error(`unknown kind ${kind}`)
  return [kind, detail, count > 1 && `×${count}`, place && `at ${place}`].filter(Boolean).join(' ')
}
