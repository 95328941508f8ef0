import type { TFunction } from 'i18next'
import type { AuditRecord } from '../../api/schema.d.ts'
import type { Column } from '../../ui/data-table.tsx'
import { formatCount, formatDollars, formatMs } from '../../ui/format-numbers.ts'
import { Level } from '../../ui/level.tsx'
import { Outcome } from '../../ui/outcome.tsx'
import { shortHash } from '../../ui/short-hash.ts'
import { Time } from '../../ui/time.tsx'
import { costOf, gatewayMs, isHashed, modelOf, tokensOf } from './record-figures.ts'

interface Names {
  readonly application: (id: string) => string
  /** Operator or admin token by keyed hash; undefined for users. */
  readonly actor: (hash: string) => string | undefined
  readonly event: (record: AuditRecord) => string
  /** The event as it is in the record. */
  readonly rawEvent: (record: AuditRecord) => string
}

type Columns = readonly Column<AuditRecord>[]

export const columnsOf = (names: Names, t: TFunction<'audit'>): Columns => [
  { header: t('columns.time'), cell: ({ created_at }) => <Time at={created_at} format="seconds" />, width: 160 },
  {
    id: 'event',
    header: t('columns.event'),
    cell: (record) => <span title={names.rawEvent(record)}>{names.event(record)}</span>,
    width: 120,
    grows: true,
  },
  {
    id: 'actor',
    header: t('columns.actor'),
    cell: ({ user, playground }) => {
      const hash = user.id ?? playground?.operator
      return hash && <Actor hash={hash} name={names.actor(hash)} />
    },
    from: 'md',
    width: 104,
  },
  {
    id: 'application',
    header: t('columns.application'),
    cell: ({ application_id }) => application_id && names.application(application_id),
    from: 'md',
    width: 90,
  },
  { id: 'outcome', header: t('columns.outcome'), cell: (record) => <Outcome of={record} /> },
  {
    id: 'status',
    header: t('columns.status'),
    cell: ({ status, error_code }) => <span title={error_code ?? undefined}>{status}</span>,
    align: 'right',
    from: 'lg',
  },
  {
    id: 'rules',
    header: t('columns.rules'),
    cell: ({ decision }) => <Rules decision={decision} />,
    from: 'lg',
    width: 100,
    grows: true,
  },
  {
    id: 'model',
    header: t('columns.model'),
    cell: (record) => <Model name={modelOf(record)} unknown={t('columns.unknownModel')} />,
    from: 'md',
    width: 99,
  },
  ...figuresOf(t),
  { id: 'provider', header: t('columns.provider'), cell: ({ attempts }) => attempts.at(-1)?.provider, optional: true },
  { id: 'risk', header: t('columns.risk'), cell: ({ risk_level }) => <Level level={risk_level} />, optional: true },
]

const figuresOf = (t: TFunction<'audit'>): Columns => [
  {
    id: 'tokens',
    header: t('columns.tokens'),
    cell: (record) => figure(record, formatCount(tokensOf(record))),
    sortBy: 'tokens',
    align: 'right',
    optional: true,
  },
  {
    id: 'cost',
    header: t('columns.cost'),
    cell: (record) => figure(record, formatDollars(costOf(record))),
    sortBy: 'cost',
    align: 'right',
    from: 'sm',
  },
  {
    id: 'latency',
    header: t('columns.latency'),
    cell: ({ duration_ms }) => formatMs(duration_ms),
    sortBy: 'latency',
    align: 'right',
    from: 'sm',
  },
  {
    id: 'gateway',
    header: t('columns.gateway'),
    cell: (record) => formatMs(gatewayMs(record)),
    align: 'right',
    optional: true,
  },
]

/** Records without a provider have no tokens and no cost. */
const figure = ({ attempts }: AuditRecord, text: string) => attempts.length > 0 && text

function Rules({ decision }: Pick<AuditRecord, 'decision'>) {
  const rules = [...new Set(decision?.rules.map(({ id }) => id))].join(', ')
  return rules && <span title={rules}>{rules}</span>
}

const Actor = ({ hash, name }: { readonly hash: string; readonly name: string | undefined }) => (
  <span title={name === undefined ? hash : name}>{name ?? <code>{shortHash(hash)}</code>}</span>
)

const Model = ({ name, unknown }: { readonly name: string | undefined; readonly unknown: string }) =>
  name !== undefined && isHashed(name) ? <span title={name}>{unknown}</span> : name
