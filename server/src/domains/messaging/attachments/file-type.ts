import { fileTypeFromBuffer } from 'file-type'

export const HEAD_BYTES = 64 * 1_024

/** Media types of texts that the sender may declare. HTML and similar types are missing, because browsers run them. */
const DECLARABLE_TEXT_TYPES = new Set([
  'text/plain',
  'text/csv',
  'text/tab-separated-values',
  'text/markdown',
  'text/calendar',
  'text/vcard',
  'application/json',
  'application/yaml',
])

const PROGRAM_TYPES = new Set([
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

/** The media type of a file, from its first HEAD_BYTES bytes. The declared type is used only for texts that browsers do not run. */
export async function detectMediaType(head: Buffer, declared: string): Promise<string> {
  // The library throws for some truncated or malformed files.
  const detected = await fileTypeFromBuffer(head, { maxBufferSize: HEAD_BYTES }).catch(() => undefined)
  if (detected) return detected.mime
  if (!isText(head)) return 'application/octet-stream'
  const [type = ''] = declared.toLowerCase().split(';')
  return DECLARABLE_TEXT_TYPES.has(type.trim()) ? type.trim() : 'text/plain'
}

/** Whether the bytes are UTF-8 without control characters, except white space and escape. */
function isText(head: Buffer): boolean {
  try {
    const isTruncated = head.length === HEAD_BYTES
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: isTruncated })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters.
    return !/[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/.test(text)
  } catch {
    return false
  }
}

/** `allowed`: media types or patterns such as `image/*`. undefined: all types except programs. */
export const isAllowedType = (type: string, allowed: readonly string[] | undefined): boolean =>
  allowed === undefined
    ? !PROGRAM_TYPES.has(type)
    : allowed.some((pattern) => pattern === type || (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1))))
