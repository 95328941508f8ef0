import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const MODULES = join(import.meta.dirname, '../../../node_modules')
/** Type declarations of the official clients. */
const FILES = {
  chat: 'openai/resources/chat/completions/completions.d.ts',
  responses: 'openai/resources/responses/responses.d.ts',
  openai: 'openai/resources/shared.d.ts',
  messages: '@anthropic-ai/sdk/resources/messages/messages.d.ts',
} as const
type File = keyof typeof FILES

/** `chat:ChatCompletionContentPart.File`: a type in one of the files, in the namespace before the dot. */
export type SdkType = `${File}:${string}`

const sources = new Map<File, string>()

function sourceOf(file: File): string {
  const known = sources.get(file)
  if (known !== undefined) return known
  const source = readFileSync(join(MODULES, FILES[file]), 'utf8').replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
  sources.set(file, source)
  return source
}

/** The text between the braces that follow `head`; undefined: there is no such declaration. */
function blockAfter(source: string, head: RegExp): string | undefined {
  const match = head.exec(source)
  if (!match) return undefined
  const start = match.index + match[0].length
  let open = 1
  let end = start
  for (; open > 0 && end < source.length; end++) {
    if (source[end] === '{') open++
    else if (source[end] === '}') open--
  }
  return source.slice(start, end - 1)
}

/** The names of the fields of an interface. Throws if the client has no such interface. */
export function fieldsOf(type: SdkType): readonly string[] {
  const [file = 'chat', path = ''] = type.split(':') as [File, string]
  const names = path.split('.')
  const source = sourceOf(file)
  const inside = names.length === 2 ? blockAfter(source, new RegExp(`\\bnamespace ${names[0]} \\{`)) : source
  const body = inside === undefined ? undefined : blockAfter(inside, new RegExp(`\\binterface ${names.at(-1)}\\b[^{;]*\\{`))
  if (body === undefined) throw new Error(`The client has no type ${type}. Correct its name in server/test/fields.`)
  return Array.from(withoutNested(body).matchAll(/^\s*(\w+)\??:/gm), ([, name]) => name ?? '')
}

/** The declaration without the fields of objects that it declares inside. */
function withoutNested(body: string): string {
  let flat = body
  for (let before = ''; before !== flat; ) {
    before = flat
    flat = flat.replaceAll(/\{[^{}]*\}/g, 'object')
  }
  return flat
}
