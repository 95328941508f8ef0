import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { useRead } from '../../api/queries.ts'
import type { AuditRecord } from '../../api/schema.d.ts'
import { useScopes } from '../../api/session.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { formatDollars } from '../../ui/format-numbers.ts'
import { Level } from '../../ui/level.tsx'
import { Link } from '../../ui/link.tsx'
import { sentenceOf } from '../../ui/sentence.ts'
import { Time } from '../../ui/time.tsx'
import { RecordLink } from './record-link.tsx'
import type { ReviewItem } from './review-item.ts'
import { useUserText } from './use-user-text.ts'

interface RequestDetailsProps {
  readonly item: ReviewItem
  /** In USD, when the request was held. Null: unknown. Undefined: the session may not read the content. */
  readonly expectedCost: number | null | undefined
}

/** Sender and labels of the request, and its cost and passages according to its record. */
export function RequestDetails({ item, expectedCost }: RequestDetailsProps) {
  const { t } = useTranslation('reviews')
  const { nameOf } = useApplicationNames()
  const userText = useUserText()
  const canReadRecord = useScopes().hasScope('audit:read')
  const record = useRead('/admin/v1/audit/{id}', { params: { path: { id: item.audit_id } } }, { enabled: canReadRecord }).data
  const cost = record ? sumCost(record.attempts) : null
  const passages = record?.knowledge.length ?? 0
  const { application_id, model, session_id, created_at, classification, risk_level, endpoint, audit_id } = item
  return (
    <DescriptionList
      items={[
        [t('request.user'), userText(item)],
        [
          t('request.application'),
          application_id ? (
            <Link key="application" to={`/applications/${application_id}`}>
              {nameOf(application_id)}
            </Link>
          ) : (
            t('request.noApplication')
          ),
        ],
        [t('request.received'), <Time key="time" at={created_at} />],
        [t('request.model'), model],
        [t('request.session'), session_id],
        [t('request.endpoint'), sentenceOf(endpoint)],
        [t('request.classification'), <Level key="classification" level={classification} />],
        [t('request.risk'), <Level key="risk" level={risk_level} />],
        [
          t('request.expectedCost'),
          typeof expectedCost === 'number' && t('request.atMost', { cost: formatDollars(expectedCost) }),
        ],
        [t('request.cost'), cost !== null && formatDollars(cost)],
        [t('request.passages'), passages > 0 && t('request.passagesAdded', { count: passages })],
        [t('request.record'), <RecordLink key="record" id={audit_id} />],
      ]}
    />
  )
}

/** In USD; null: no attempt has a known price. */
const sumCost = (attempts: AuditRecord['attempts']): number | null =>
  attempts.reduce<number | null>((sum, { cost }) => (cost === undefined ? sum : (sum ?? 0) + cost), null)
