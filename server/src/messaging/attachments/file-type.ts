import { fileTypeFromBuffer } from 'file-type'

/** How much of a file is looked at to tell what it is. */
export const HEAD_BYTES = 64 * 1_024

/** Texts that may be called what their sender calls them. Not HTML and its kin: a browser would act on those. */
const TEXTS = new Set([
  'text/plain',
  'text/csv',
  'text/tab-separated-values',
  'text/markdown',
  'text/calendar',
  'text/vcard',
  'application/json',
  'application/yaml',
])

/** What runs where it is opened. */
const PROGRAMS = new Set([
  'application/java-archive',
  'application/java-vm',
  'application/vnd.android.package-archive',
  'application/wasm',
  'application/x-apple-diskimage',
  'application/x-deb',
  'application/x-elf',
  'application/x-ft-apple.alias',
  'application/x-mach-binary',
  'application/x-ms-shortcut',
  'application/x-msdownload',
  'application/x-rpm',
  'application/x-xpinstall',
])

/**
 * What a file is, from its own bytes; what its sender says counts among harmless texts only. `head`: its first HEAD_BYTES, or
 * all of it.
 */
export async function detectMediaType(head: Buffer, declared: string): Promise<string> {
  // Its readers throw at what is cut off, or made to mislead them.
  const found = await fileTypeFromBuffer(head, { maxBufferSize: HEAD_BYTES }).catch(() => undefined)
  if (found) return found.mime
  if (!isText(head)) return 'application/octet-stream'
  const [type = ''] = declared.toLowerCase().split(';')
  return TEXTS.has(type.trim()) ? type.trim() : 'text/plain'
}

/** UTF-8 without control characters but those that lay text out. */
function isText(head: Buffer): boolean {
  try {
    const cut = head.length === HEAD_BYTES
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: cut })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    return !/[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/.test(text)
  } catch {
    return false
  }
}

/** `allowed`: patterns as `image/*`; undefined: all but programs. */
export const isAllowedType = (type: string, allowed: readonly string[] | undefined): boolean =>
  allowed === undefined
    ? !PROGRAMS.has(type)
    : allowed.some((pattern) => pattern === type || (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1))))
