import type { AuditRecord } from '../record/record.ts'
import { toOcsf } from './ocsf.ts'

/** `gatehouse`: the record as stored. `ocsf`: an event of the Open Cybersecurity Schema Framework. */
export const FEED_FORMATS = ['gatehouse', 'ocsf'] as const
export type FeedFormat = (typeof FEED_FORMATS)[number]

export const isFeedFormat = (text: string): text is FeedFormat => FEED_FORMATS.some((format) => format === text)

export const formatRecord = (record: AuditRecord, format: FeedFormat, version: string): AuditRecord | Record<string, unknown> =>
  format === 'gatehouse' ? record : toOcsf(record, version)
