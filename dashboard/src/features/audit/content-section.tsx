import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { AuditRecord } from '../../api/schema.d.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { formatFileSize } from '../../ui/format-file-size.ts'
import { formatCount } from '../../ui/format-numbers.ts'
import { Section } from '../../ui/section.tsx'
import { Hash } from './hash.tsx'

type Facts = NonNullable<AuditRecord['response']>

const COUNTS = ['messages', 'choices', 'embeddings', 'models', 'hits', 'carried_fields'] as const
/** Carried fields of a request have a line of their own. */
const OF_REQUEST = COUNTS.filter((name) => name !== 'carried_fields')

/** How content passed the gateway: sizes and hashes, when text was sent, and which content no detector read. */
export function ContentSection({ record }: { readonly record: AuditRecord }) {
  const { t } = useTranslation('audit')
  const { request, response, release, features, stored_response: stored } = record
  const storedIn = Object.entries(stored ?? {}).map(([purpose, id]) => [
    t(`record.content.stored.${purpose}` as 'record.content.stored.read'),
    id,
  ])
  return (
    <Section title={t('record.content.title')}>
      <DescriptionList
        items={[
          [t('record.content.request'), <FactsOf key="request" facts={request} names={OF_REQUEST} />],
          [t('record.content.response'), response && <FactsOf key="response" facts={response} />],
          [
            t('record.content.release'),
            release
              ? release.mode === 'windowed'
                ? t('record.content.windowed', { characters: formatCount(release.characters) })
                : t('record.content.validated')
              : null,
          ],
          [t('record.content.unreadRequest'), unreadIn(features, 'content', t)],
          [t('record.content.unreadResponse'), unreadIn(features, 'output.content', t)],
          [
            t('record.content.unknownFields'),
            request.carried_fields ? t('record.content.carried', { number: request.carried_fields }) : null,
          ],
          ...(storedIn as [string, string][]),
        ]}
      />
    </Section>
  )
}

/** Size, counts and hash of a request or response. */
function FactsOf({ facts, names = COUNTS }: { readonly facts: Facts; readonly names?: readonly (typeof COUNTS)[number][] }) {
  const { t } = useTranslation('audit')
  const counts = names
    .filter((name) => facts[name] !== undefined)
    .map((name) => t('record.content.count', { name: t(`record.content.counts.${name}`), number: facts[name] ?? 0 }))
  return (
    <>
      {[formatFileSize(facts.bytes), ...counts].join(' · ')}
      {facts.hash && <Hash value={facts.hash} label={t('record.content.hash')} />}
    </>
  )
}

/** "2 (image, file), 1.4 MB". Linked content is in the kinds but not in the count. */
function unreadIn(features: AuditRecord['features'], prefix: string, t: TFunction<'audit'>): string | null {
  const [count, bytes, kinds] = ['unread', 'unread_bytes', 'unread_kinds'].map((name) => features[`${prefix}.${name}`])
  if (!Array.isArray(kinds) || kinds.length === 0) return null
  const values = { number: Number(count), kinds: kinds.join(', ') }
  return Number(bytes) > 0
    ? t('record.content.unreadSize', { ...values, size: formatFileSize(Number(bytes)) })
    : t('record.content.unread', values)
}
