import PostalMime, { type Address, type Email, type Attachment as MailPart } from 'postal-mime'
import { type Attachment, DocumentError, type FileContent, tooMuchText } from '../document.ts'
import { decodeText } from '../text.ts'
import type { Warnings } from '../warning.ts'
import { readHtml } from './html.ts'

/** Parts that programs read, such as signatures of the sender's server. */
const TECHNICAL = /^(?:application\/(?:pkcs7-signature|x-pkcs7-signature|pgp-signature|pgp-keys)|message\/delivery-status)$/
const ENCRYPTED = /^(?:application\/(?:x-)?pkcs7-mime|application\/pgp-encrypted)$/
const OPTIONS = { maxNestingDepth: 50, forceRfc822Attachments: true }
/** Messages within messages. A deeper one is an attachment. */
const MAX_MESSAGES = 10

/** Converts an e-mail: the fields that a person sees, then its text. Files in it are attachments; messages in it are a part of its text. */
export async function readMail(bytes: Uint8Array, limit: number, warnings: Warnings): Promise<FileContent> {
  const reader: Reader = { names: new Set(), attachments: [], warnings }
  const { markdown, subject } = await readMessage(bytes, reader, 1)
  if (markdown.length > limit) throw tooMuchText(limit)
  return { markdown, title: subject, attachments: reader.attachments }
}

interface Reader {
  /** Of the attachments. */
  readonly names: Set<string>
  readonly attachments: Attachment[]
  readonly warnings: Warnings
}

async function readMessage(bytes: Uint8Array, reader: Reader, depth: number): Promise<{ markdown: string; subject: string }> {
  const mail = await parse(bytes, reader.warnings)
  const body = bodyOf(mail, reader.warnings)
  if (body === '' && mail.attachments.some(({ mimeType }) => ENCRYPTED.test(mimeType)))
    throw new DocumentError('encrypted', 'The e-mail is encrypted. Save it decrypted.')
  const messages: string[] = []
  const files: string[] = []
  for (const part of mail.attachments) {
    const content = typeof part.content === 'string' ? Buffer.from(part.content) : new Uint8Array(part.content)
    if (part.mimeType === 'message/rfc822' && depth < MAX_MESSAGES) {
      messages.push((await readMessage(content, reader, depth + 1)).markdown)
    } else {
      const attachment = attachmentOf(part, content, reader)
      if (attachment) files.push(`- Attachment: ${attachment.name}`)
    }
  }
  const subject = mail.subject?.replace(/\s+/g, ' ').trim() ?? ''
  const head = [subject && `${'#'.repeat(Math.min(depth, 6))} ${subject}`, [...fieldsOf(mail), ...files].join('\n')]
  return { markdown: [...head, body, ...messages].filter((part) => part !== '').join('\n\n'), subject }
}

const fieldsOf = (mail: Email): string[] =>
  [
    ['From', addresses(mail.from && [mail.from])],
    ['To', addresses(mail.to)],
    ['Cc', addresses(mail.cc)],
    ['Bcc', addresses(mail.bcc)],
    ['Reply-To', addresses(mail.replyTo)],
    // As it is written, with its time zone.
    ['Date', mail.headers.find(({ key }) => key === 'date')?.value.replace(/\s+/g, ' ')],
  ].flatMap(([name, value]) => (value ? [`- ${name}: ${value}`] : []))

async function parse(bytes: Uint8Array, warnings: Warnings): Promise<Email> {
  try {
    const mail = await PostalMime.parse(bytes, OPTIONS)
    if (!hasDamage(mail)) return mail
    // A mail that states no charset is read as UTF-8 by the library.
    const isStated = /charset\s*=\s*"?(?!utf-?8|us-ascii)\w/i.test(Buffer.from(bytes).toString('latin1'))
    const text = isStated ? undefined : decodeText(bytes, undefined, warnings)
    if (text !== undefined) return await PostalMime.parse(text, OPTIONS)
    warnings.add('charset')
    return mail
  } catch (error) {
    if (error instanceof DocumentError) throw error
    throw new DocumentError('broken', 'The e-mail is damaged or nested too deeply. Save it again from the mail program.', error)
  }
}

const hasDamage = ({ subject, text, html }: Email): boolean => [subject, text, html].some((part) => part?.includes('\ufffd'))

/** The HTML, because a mail program shows it; the plain text if the HTML has none. */
function bodyOf({ html, text }: Email, warnings: Warnings): string {
  const shown = html ? readHtml(html, warnings).markdown.trim() : ''
  return shown === '' ? (text ?? '').trim() : shown
}

function addresses(list: readonly Address[] | undefined): string {
  return (list ?? [])
    .map(({ name, address, group }): string => {
      if (group) return `${name}: ${addresses(group)}`
      return name && address ? `${name} <${address}>` : name || address || ''
    })
    .filter((text) => text !== '')
    .join(', ')
}

function attachmentOf(part: MailPart, bytes: Uint8Array, reader: Reader): Attachment | undefined {
  if (TECHNICAL.test(part.mimeType)) return undefined
  if (part.related && part.mimeType.startsWith('image/')) {
    reader.warnings.add('picture', part.filename ? { detail: part.filename } : {})
    return undefined
  }
  const attachment = { name: uniqueName(part, reader.names), mediaType: part.mimeType, bytes }
  reader.attachments.push(attachment)
  return attachment
}

/** A file name without folders. The second one of a name is `plan (2).pdf`. */
function uniqueName({ filename, mimeType }: MailPart, names: Set<string>): string {
  const given = (filename ?? '')
    .replace(/.*[/\\]/s, '')
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(-200)
    .toWellFormed()
  const name = given || `attachment.${EXTENSIONS[mimeType] ?? 'bin'}`
  const [, stem = name, extension = ''] = /^(.+?)(\.[^.]{1,10})?$/.exec(name) ?? []
  let unique = name
  for (let count = 2; names.has(unique); count += 1) unique = `${stem} (${count})${extension}`
  names.add(unique)
  return unique
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'message/rfc822': 'eml',
  'text/calendar': 'ics',
  'text/plain': 'txt',
  'text/html': 'html',
  'text/csv': 'csv',
  'application/pdf': 'pdf',
}
