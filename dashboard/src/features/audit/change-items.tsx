import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { AuditRecord } from '../../api/schema.d.ts'
import { pageOfObject, prefixOf } from '../../routing/object-pages.ts'
import { Link } from '../../ui/link.tsx'
import { sentenceOf } from '../../ui/sentence.ts'
import { useEventNames } from './event-names.ts'
import { KeyName } from './key-name.tsx'
import { NamedId } from './named-id.tsx'

/** The change of a record in words, with its code on hover, and the changed object. None for a request. */
export function useChangeItems(record: AuditRecord): readonly (readonly [name: string, value: ReactNode])[] {
  const { t } = useTranslation('audit')
  const { nameOf } = useEventNames()
  const { change } = record
  if (!change) return []
  const { action, object_type, object_id, fields, failure } = change
  return [
    [
      t('record.action'),
      <span key="action" title={action}>
        {nameOf(record)}
      </span>,
    ],
    [t('record.objectType'), sentenceOf(object_type)],
    [t('record.objectId'), <ObjectName key="object" id={object_id} />],
    // Its fields are the items that were read.
    action === 'review_queue.read'
      ? [t('record.items'), <ItemLinks key="items" ids={fields} />]
      : [t('record.fields'), fields.join(', ') || null],
    [t('record.failure'), failure],
  ]
}

/** The changed object: an API key by its name, others by their ids. */
function ObjectName({ id }: { readonly id: string }) {
  const { t } = useTranslation('audit')
  if (prefixOf(id) === 'key') return <KeyName id={id} />
  return <NamedId id={id} name={undefined} to={pageOfObject(id)?.to} label={t('record.objectId')} />
}

/** Review items, each with a link to its page. */
const ItemLinks = ({ ids }: { readonly ids: readonly string[] }) => (
  <Stack gap={4}>
    {ids.map((id) => (
      <Link key={id} to={`/reviews/${id}`}>
        {id}
      </Link>
    ))}
  </Stack>
)
