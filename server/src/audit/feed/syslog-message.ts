import type { FeedLine } from './sink.ts'

/** Facility 13, "log audit" (RFC 5424, table 1). */
const FACILITY = 13
const NOTICE = 5
const WARNING = 4
const APP_NAME = 'gatehouse'
const NIL = '-'

/** The message with its length in bytes before it (RFC 6587, section 3.4.1). MSGID is the endpoint, and the structured data name the record. */
export function formatSyslog({ record, text }: FeedLine, node: string): Buffer {
  const severity = record.decision?.verdict === 'deny' ? WARNING : NOTICE
  const hostname = node.replaceAll(/[^!-~]/g, '').slice(0, 255) || NIL
  const header = `<${FACILITY * 8 + severity}>1 ${record.created_at} ${hostname} ${APP_NAME} ${NIL} ${record.endpoint}`
  const data = `[gatehouse@32473 id="${record.id}" workspace="${record.workspace_id}" sequence="${record.integrity.sequence}"]`
  // The byte order mark says that the message is UTF-8.
  const message = Buffer.from(`${header} ${data} \uFEFF${text}`)
  return Buffer.concat([Buffer.from(`${message.length} `), message])
}
