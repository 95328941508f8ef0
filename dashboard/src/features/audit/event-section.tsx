import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import type { AuditRecord } from '../../api/schema.d.ts'
import { Copyable } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { formatMs } from '../../ui/format-numbers.ts'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { Hash } from './hash.tsx'
import { useActorNames } from './use-actor-names.ts'

/** The event: a request or a change. */
export function EventSection({ record }: { readonly record: AuditRecord }) {
  const { t } = useTranslation('audit')
  const { nameOf } = useApplicationNames()
  const { application_id, status, error_code, duration_ms, change, dry_run, playground, endpoint } = record
  return (
    <Section title={t('record.event')}>
      <DescriptionList
        items={[
          [t('columns.time'), <Time key="time" at={record.created_at} format="seconds" />],
          [t('record.kind'), <code key="kind">{endpoint}</code>],
          [t('record.id'), <Copyable key="id" value={record.id} label={t('record.idLabel')} />],
          [t('record.workspace'), <Copyable key="workspace" value={record.workspace_id} label={t('record.workspace')} />],
          [
            t('record.application'),
            application_id && (
              <Link key="application" to={`/applications/${application_id}`}>
                {nameOf(application_id)}
              </Link>
            ),
          ],
          [t('record.key'), record.key_id && <Copyable key="key" value={record.key_id} label={t('record.key')} />],
          [t('record.status'), status],
          [t('record.error'), error_code && <code key="error">{error_code}</code>],
          [t('columns.latency'), formatMs(duration_ms)],
          [t('record.dryRun'), dry_run ? t('record.yes') : null],
          [
            t('record.playground'),
            playground && (playground.operator ? <Person key="operator" hash={playground.operator} /> : t('record.yes')),
          ],
          [t('record.action'), change && <code key="action">{change.action}</code>],
          [t('record.objectType'), change?.object_type],
          [t('record.objectId'), change && <Copyable key="object" value={change.object_id} label={t('record.objectId')} />],
          [t('record.fields'), change?.fields.join(', ') || null],
        ]}
      />
    </Section>
  )
}

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
