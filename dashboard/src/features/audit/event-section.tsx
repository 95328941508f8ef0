import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { useRead } from '../../api/queries.ts'
import type { AuditRecord } from '../../api/schema.d.ts'
import { useScopes, useSessionWorkspace } from '../../api/session.ts'
import { pageOfObject, prefixOf } from '../../routing/object-pages.ts'
import { Copyable } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { formatMs } from '../../ui/format-numbers.ts'
import { Link } from '../../ui/link.tsx'
import { reasonOf } from '../../ui/outcome.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { Hash } from './hash.tsx'
import { NamedId } from './named-id.tsx'
import { useActorNames } from './use-actor-names.ts'

/** The event: a request or a change. */
export function EventSection({ record }: { readonly record: AuditRecord }) {
  const { t } = useTranslation('audit')
  const { nameOf } = useApplicationNames()
  const { application_id, status, error_code, duration_ms, change, dry_run, playground, endpoint } = record
  const reason = reasonOf(record)
  // Its fields are the items that were read.
  const isQueueRead = change?.action === 'review_queue.read'
  return (
    <Section title={t('record.event')}>
      <DescriptionList
        items={[
          [t('columns.time'), <Time key="time" at={record.created_at} format="seconds" />],
          // The title says which endpoint a request had.
          [t('record.kind'), change && endpoint !== 'admin' ? <code key="kind">{endpoint}</code> : null],
          [t('record.id'), <Copyable key="id" value={record.id} label={t('record.idLabel')} />],
          [t('record.workspace'), <WorkspaceName key="workspace" id={record.workspace_id} />],
          [
            t('record.application'),
            application_id && (
              <Link key="application" to={`/applications/${application_id}`}>
                {nameOf(application_id)}
              </Link>
            ),
          ],
          [t('record.key'), record.key_id && <KeyName key="key" id={record.key_id} />],
          [t('record.status'), status],
          [
            t('record.error'),
            error_code && (
              <span key="error">
                <code>{error_code}</code> {reason !== error_code && reason}
              </span>
            ),
          ],
          [t('columns.latency'), formatMs(duration_ms)],
          [t('record.dryRun'), dry_run ? t('record.yes') : null],
          [
            t('record.playground'),
            playground && (playground.operator ? <Person key="operator" hash={playground.operator} /> : t('record.yes')),
          ],
          [t('record.action'), change && <code key="action">{change.action}</code>],
          [t('record.objectType'), change?.object_type],
          [t('record.objectId'), change && <ObjectName key="object" id={change.object_id} />],
          isQueueRead
            ? [t('record.items'), <ItemLinks key="items" ids={change.fields} />]
            : [t('record.fields'), change?.fields.join(', ') || null],
        ]}
      />
    </Section>
  )
}

function WorkspaceName({ id }: { readonly id: string }) {
  const { t } = useTranslation('audit')
  const current = useSessionWorkspace()
  const isCurrent = current?.id === id
  return (
    <NamedId
      id={id}
      name={isCurrent ? current.name : undefined}
      to={isCurrent ? '/settings/workspace' : undefined}
      label={t('record.workspace')}
    />
  )
}

function KeyName({ id }: { readonly id: string }) {
  const { t } = useTranslation('audit')
  const enabled = useScopes().hasScope('applications:read')
  const { data: key } = useRead('/admin/v1/keys/{id}', { params: { path: { id } } }, { enabled })
  const to = key && `/applications/${key.application_id}`
  return <NamedId id={id} name={key?.name} to={to} search={{ tab: 'keys' }} label={t('record.key')} />
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

/** The user of the request, or the operator who made the change. */
export function UserSection({ record: { user, change } }: { readonly record: AuditRecord }) {
  const { t } = useTranslation('audit')
  const { actorOf } = useActorNames()
  const identity =
    user.id === null ? t('record.user.none') : user.verified ? t('record.user.verified') : t('record.user.asserted')
  return (
    <Section title={change ? t('record.user.actor') : t('record.user.title')}>
      <DescriptionList
        items={[
          [t('record.user.identity'), identity],
          [t('record.user.name'), user.id ? actorOf(user.id) : null],
          [t('record.user.id'), user.id && <Hash key="id" value={user.id} label={t('record.user.id')} />],
          [t('record.user.role'), user.role || null],
          [t('record.user.department'), user.department || null],
        ]}
      />
    </Section>
  )
}

/** An operator by name, with the keyed hash. */
function Person({ hash }: { readonly hash: string }) {
  const { t } = useTranslation('audit')
  const { actorOf } = useActorNames()
  return (
    <>
      {actorOf(hash)}
      <Hash value={hash} label={t('record.user.id')} />
    </>
  )
}
