import { sumOf } from '../../domain/usage.ts'
import type { AuditRecord } from '../record/record.ts'

/** Source: ArcSight Common Event Format Implementation Standard, version 26, chapters "Header" and "Extension dictionary". */
const CEF_VERSION = 0

const SEVERITIES = { low: 2, medium: 5, high: 8, critical: 10 } as const

/** In the header a backslash and a pipe are escaped, and there are no line breaks. */
export const escapeHeader = (text: string): string => text.replaceAll(/[\\|]/g, '\\$&').replaceAll(/[\r\n]+/g, ' ')

/** In a value of the extension a backslash, an equals sign and line breaks are escaped. */
export const escapeValue = (text: string): string =>
  text.replaceAll(/[\\=]/g, '\\$&').replaceAll('\r', '\\r').replaceAll('\n', '\\n')

/** The record as one line of CEF, without content, as the record itself. `version`: of this server. */
export function toCef(record: AuditRecord, version: string): string {
  const { endpoint, change, decision, status, risk_level } = record
  const operation = change?.action ?? endpoint
  const outcome = decision?.verdict ?? (status < 400 ? 'ok' : 'failed')
  const severity = risk_level === null ? 1 : SEVERITIES[risk_level]
  const header = [
    `CEF:${CEF_VERSION}`,
    'Gatehouse',
    'Gatehouse',
    version,
    `${operation}:${outcome}`,
    `${operation} ${outcome}`,
    severity,
  ]
  const [first = '', ...others] = header.map(String)
  return [first, ...others.map(escapeHeader), formatExtension(extensionOf(record, outcome))].join('|')
}

const formatExtension = (fields: Readonly<Record<string, string | number | null>>): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== null && value !== '')
    .map(([key, value]) => `${key}=${escapeValue(String(value))}`)
    .join(' ')

function extensionOf(record: AuditRecord, outcome: string): Record<string, string | number | null> {
  const { attempts, decision, user, change, integrity, application_id } = record
  const last = attempts.at(-1)
  const findings = Object.entries(record.findings).flatMap(([stage, counts]) =>
    Object.entries(counts).map(([finding, count]) => `${stage}.${finding}:${count}`),
  )
  return {
    rt: Date.parse(record.created_at),
    externalId: record.id,
    deviceExternalId: record.workspace_id,
    act: outcome,
    outcome: record.status < 400 ? 'success' : 'failure',
    reason: record.error_code,
    suid: user.id,
    spriv: user.role,
    sourceServiceName: application_id,
    fileId: change?.object_id ?? null,
    fileType: change?.object_type ?? null,
    ...labelled('cn', 1, 'sequence', integrity.sequence),
    ...labelled('cn', 2, 'status', record.status),
    ...labelled(
      'cn',
      3,
      'tokens',
      attempts.length === 0 ? null : sumOf(attempts, 'prompt_tokens') + sumOf(attempts, 'completion_tokens'),
    ),
    ...labelled('cs', 1, 'model', last ? `${last.provider}/${last.model}` : null),
    ...labelled('cs', 2, 'classification', record.classification),
    ...labelled('cs', 3, 'rules', decision?.rules.map(({ id }) => id).join(',') ?? null),
    ...labelled('cs', 4, 'findings', findings.join(',')),
    ...labelled('cs', 5, 'department', user.department),
    ...labelled('cs', 6, 'hash', integrity.hash),
  }
}

/** A custom field with its label; nothing if it has no value. */
const labelled = (kind: 'cn' | 'cs', index: number, label: string, value: string | number | null) =>
  value === null || value === '' ? {} : { [`${kind}${index}Label`]: label, [`${kind}${index}`]: value }
