import type { AuditRecord } from '../record/record.ts'
import { toCef } from './cef.ts'
import { toOcsf } from './ocsf.ts'

/** `gatehouse`: the record as stored. `ocsf`: an event of the Open Cybersecurity Schema Framework. `cef`: a line of the Common Event Format. */
export const FEED_FORMATS = ['gatehouse', 'ocsf', 'cef'] as const
export type FeedFormat = (typeof FEED_FORMATS)[number]

export const isFeedFormat = (text: string): text is FeedFormat => FEED_FORMATS.some((format) => format === text)

/** The record in the format: an object, or a text for CEF. `version`: of this server. */
export const formatRecord = (
  record: AuditRecord,
  format: FeedFormat,
  version: string,
): AuditRecord | Record<string, unknown> | string =>
  format === 'gatehouse' ? record : format === 'ocsf' ? toOcsf(record, version) : toCef(record, version)

/** The record as one line without a line break. */
export function formatLine(record: AuditRecord, format: FeedFormat, version: string): string {
  const formatted = formatRecord(record, format, version)
  return typeof formatted === 'string' ? formatted : JSON.stringify(formatted)
}
