import type { AuditRecord } from '../../api/audit-record.ts'
import { formatFileSize } from '../../ui/format-file-size.ts'
import { formatCount } from '../../ui/format-numbers.ts'

type Fact = readonly [name: string, value: string | null]

/** How content passed the gateway: when text was sent, and which content no detector read. Facts without a value are null. */
export const contentFacts = ({ release, features, request, stored_response: stored }: AuditRecord): readonly Fact[] => [
  ['Release', release ? releaseIn(release) : null],
  ['Unread content of the request', unreadIn(features, 'content')],
  ['Unread content of the response', unreadIn(features, 'output.content')],
  ['Unknown fields', request?.carried_fields ? `${request.carried_fields}, carried to the provider` : null],
  ...Object.entries(stored ?? {}).map(([purpose, id]): Fact => [STORED[purpose] ?? purpose, id]),
]

const STORED: Readonly<Record<string, string>> = {
  continued: 'Continued response',
  deleted: 'Deleted response',
  read: 'Read response',
  stored: 'Stored response',
}

const releaseIn = ({ mode, characters }: NonNullable<AuditRecord['release']>): string =>
  mode === 'windowed' ? `Windowed: ${formatCount(characters)} characters before the verdict` : 'Validated'

/** "2 (image, file), 1.4 MB". Linked content is in the kinds but not in the count. */
function unreadIn(features: AuditRecord['features'], prefix: string): string | null {
  const [count, bytes, kinds] = ['unread', 'unread_bytes', 'unread_kinds'].map((name) => features[`${prefix}.${name}`])
  if (!Array.isArray(kinds) || kinds.length === 0) return null
  return `${count} (${kinds.join(', ')})${Number(bytes) > 0 ? `, ${formatFileSize(Number(bytes))}` : ''}`
}
