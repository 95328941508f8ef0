import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import type { AuditRecord } from '../../api/schema.d.ts'
import { useSessionWorkspace } from '../../api/session.ts'
import { Copyable } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { formatMs } from '../../ui/format-numbers.ts'
import { Link } from '../../ui/link.tsx'
import { reasonOf } from '../../ui/outcome.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { useChangeItems } from './change-items.tsx'
import { useEventNames } from './event-names.ts'
import { Hash } from './hash.tsx'
import { KeyName } from './key-name.tsx'
import { NamedId } from './named-id.tsx'
import { useActorNames } from './use-actor-names.ts'

/** The event: a request or a change. */
export function EventSection({ record }: { readonly record: AuditRecord }) {
  const { t } = useTranslation('audit')
  const { nameOf } = useApplicationNames()
  const events = useEventNames()
  const { application_id, status, error_code, duration_ms, change, dry_run, playground, endpoint } = record
  const reason = reasonOf(record)
  const changeItems = useChangeItems(record)
  return (
    <Section title={t('record.event')}>
      <DescriptionList
        items={[
          [t('columns.time'), <Time key="time" at={record.created_at} format="seconds" />],
          // The title says which endpoint a request had.
          [
            t('record.kind'),
            change && endpoint !== 'admin' && (
              <span key="kind" title={endpoint}>
                {events.endpointOf(record)}
              </span>
            ),
          ],
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
                <ErrorCode code={error_code} /> {reason !== error_code && reason}
              </span>
            ),
          ],
          [t('columns.latency'), formatMs(duration_ms)],
          [t('record.dryRun'), dry_run ? t('record.yes') : null],
          [
            t('record.playground'),
            playground && (playground.operator ? <Person key="operator" hash={playground.operator} /> : t('record.yes')),
          ],
          ...changeItems,
        ]}
      />
    </Section>
  )
}

/** On a phone it continues below an underscore. */
const ErrorCode = ({ code }: { readonly code: string }) => (
  <code>
    {code.split('_').map((word, index) => (
      <Fragment key={word}>
        {index > 0 && (
          <>
            _<wbr />
          </>
        )}
        {word}
      </Fragment>
    ))}
  </code>
)

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
