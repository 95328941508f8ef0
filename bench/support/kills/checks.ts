import { uuidOf } from '../../../server/src/platform/db/values.ts'
import { USD_SCALE } from '../../../server/src/shared/spending.ts'
import type { KnownHold } from '../crash-ledger.ts'
import type { KillClient } from './clients.ts'
import type { KillLedger } from './ledger.ts'
import type { Postgres } from './postgres.ts'

/** A hold can only move forward in this order. */
const ORDER: readonly string[] = ['pending', 'approved', 'released']

/** The state that the clients know of, at least. */
const leastState = ({ approval, result }: KnownHold): string =>
  result !== undefined ? 'released' : approval === 'granted' ? 'approved' : 'pending'

/** Compares the database with the ledger, while requests go on. Each check reads what is new since the last one. */
export class RunningChecks {
  readonly #postgres: Postgres
  readonly #ledger: KillLedger
  readonly #clients: readonly KillClient[]
  /** Last sequence of the checked part of each chain, and its charges, by Workspace. */
  readonly #chains = new Map<string, number>()
  readonly #charged = { usd: 0n, tokens: 0n }
  readonly #lastOf = new Map<KillClient, number>()
  /** Texts of the stored messages by id, the next number of each sender, and how many acknowledgements were checked. */
  readonly #stored = new Map<string, string>()
  readonly #next = new Map<string, number>()
  #acknowledged = 0

  constructor(postgres: Postgres, ledger: KillLedger, clients: readonly KillClient[]) {
    this.#postgres = postgres
    this.#ledger = ledger
    this.#clients = clients
  }

  async run(): Promise<void> {
    await this.#checkRecords()
    await this.#checkOrder()
    await this.#checkHolds()
    await this.#checkMessages()
    await this.#checkMemories()
    await this.#checkChainsAndBudgets()
  }

  /** Every answer has its record, with the same status. */
  async #checkRecords(): Promise<void> {
    const ids = this.#ledger.unchecked.splice(0)
    const rows = await this.#postgres.query<{ id: string; status: number | null }>(
      `select r.id, r.status from audit_record r where r.id = any($1::uuid[])
       union all select p.id, null from audit_pending p where p.id = any($1::uuid[])`,
      [ids.map((id) => uuidOf('aud', id))],
    )
    const found = Map.groupBy(rows, ({ id }) => id)
    for (const id of ids) {
      const [record, ...more] = found.get(uuidOf('aud', id)) ?? []
      const status = this.#ledger.answers.get(id)
      if (!record) this.#ledger.violated(`no record of ${id}, which was answered with ${status}`)
      else if (record.status !== null && record.status !== status)
        this.#ledger.violated(`${id} was answered with ${status} and is recorded with ${record.status}`)
      if (more.length > 0) this.#ledger.violated(`${id} has ${more.length + 1} records`)
    }
  }

  /** Records of a client that waits for each answer have rising sequences. */
  async #checkOrder(): Promise<void> {
    for (const client of this.#clients) {
      const ids = client.answered.splice(0)
      if (ids.length === 0) continue
      const rows = await this.#postgres.query<{ id: string; sequence: string }>(
        'select id, sequence from audit_record where id = any($1::uuid[])',
        [ids.map((id) => uuidOf('aud', id))],
      )
      const sequences = new Map(rows.map(({ id, sequence }) => [id, Number(sequence)]))
      for (const id of ids) {
        const [sequence, last] = [sequences.get(uuidOf('aud', id)), this.#lastOf.get(client) ?? 0]
        if (sequence === undefined) this.#ledger.violated(`${id} has no position in the chain after its answer`)
        else if (sequence <= last) this.#ledger.violated(`${id} has position ${sequence}, and the request before it ${last}`)
        this.#lastOf.set(client, sequence ?? last)
      }
    }
  }

  /** No acknowledged hold, approval or release is lost. */
  async #checkHolds(): Promise<void> {
    const expected = [...this.#ledger.changed].map((hold) => ({ id: hold.id, least: leastState(hold) }))
    this.#ledger.changed.clear()
    const rows = await this.#postgres.query<{ id: string; state: string }>(
      'select id, state from review_item where id = any($1::uuid[])',
      [expected.map(({ id }) => uuidOf('rev', id))],
    )
    const states = new Map(rows.map(({ id, state }) => [id, state]))
    for (const { id, least } of expected) {
      const state = states.get(uuidOf('rev', id))
      if (state === undefined) this.#ledger.violated(`hold ${id} is lost`)
      else if (ORDER.indexOf(state) < ORDER.indexOf(least)) this.#ledger.violated(`hold ${id} is ${state}, not ${least}`)
    }
  }

  /** Every writer's messages are stored once, without a gap and in order. */
  async #checkMessages(): Promise<void> {
    const acknowledged = this.#ledger.messages.slice(this.#acknowledged)
    const rows = await this.#postgres.query<{ sender: string; text: string; id: string; sequence: string }>(
      'select sender_id as sender, text, id, sequence from message where conversation_id = $1 and sequence > $2 order by sequence',
      [uuidOf('conv', this.#ledger.setup.conversation), this.#stored.size],
    )
    for (const { sender, text, id, sequence } of rows) {
      const expected = `${sender} ${this.#next.get(sender) ?? 0}`
      if (text !== expected) this.#ledger.violated(`message ${id} is ${text} where ${expected} follows`)
      this.#next.set(sender, (this.#next.get(sender) ?? 0) + 1)
      this.#stored.set(id, text)
      if (Number(sequence) !== this.#stored.size) this.#ledger.violated(`message ${id} has number ${sequence}`)
    }
    for (const { id, text } of acknowledged)
      if (this.#stored.get(uuidOf('msg', id)) !== text)
        this.#ledger.violated(`message ${id} (${text}) was acknowledged and is lost`)
    this.#acknowledged += acknowledged.length
  }

  /** Every acknowledged memory is stored once, and no erased one. */
  async #checkMemories(): Promise<void> {
    const expected = [...this.#ledger.memories].filter(([id]) => !this.#ledger.erased.has(id))
    const erased = [...this.#ledger.erased].filter(([, isDone]) => isDone).map(([id]) => uuidOf('mem', id))
    const rows = await this.#postgres.query<{ id: string; content: string }>('select id, content from memory_item')
    const stored = Map.groupBy(rows, ({ content }) => content)
    for (const [id, content] of expected) {
      const found = stored.get(content) ?? []
      // An erasure may have begun in the meantime.
      if (found.length === 0 && this.#ledger.erased.has(id)) continue
      if (found.length !== 1 || found[0]?.id !== uuidOf('mem', id))
        this.#ledger.violated(`memory ${id} is stored ${found.length} times`)
    }
    const left = new Set(rows.map(({ id }) => id))
    for (const id of erased) if (left.has(id)) this.#ledger.violated(`memory ${id} was erased and is stored`)
  }

  /** Sequences have no gap, each record names the hash before it, and the budgets have counted what the records say. */
  async #checkChainsAndBudgets(): Promise<void> {
    const { budgets } = this.#ledger.setup
    const [row] = await this.#postgres.query<ChainRow>(CHAINS, [
      JSON.stringify(Object.fromEntries(this.#chains)),
      budgets.map(({ id }) => uuidOf('bud', id)),
    ])
    if (!row) throw new Error('the query of the chains returned no row')
    for (const { workspace, last, broken } of row.chains ?? []) {
      if (broken > 0) this.#ledger.violated(`chain of ${workspace}: ${broken} gaps or wrong hashes up to ${last}`)
      this.#chains.set(workspace, last)
    }
    this.#charged.usd += BigInt(row.usd)
    this.#charged.tokens += BigInt(row.tokens)
    const pending = { usd: BigInt(row.pending_usd), tokens: BigInt(row.pending_tokens) }
    for (const { id, unit } of budgets) {
      const window = row.windows?.find((one) => one.id === uuidOf('bud', id))
      if (!window) continue
      const charged = this.#charged[unit] + pending[unit]
      if (BigInt(window.spent) !== charged) this.#ledger.violated(`budget ${id}: spent ${window.spent}, records ${charged}`)
      if (window.reserved !== window.open)
        this.#ledger.violated(`budget ${id}: reserved ${window.reserved}, reservations ${window.open}`)
    }
  }
}

interface ChainRow {
  readonly chains: readonly { workspace: string; last: number; broken: number }[] | null
  readonly usd: string
  readonly tokens: string
  readonly pending_usd: string
  readonly pending_tokens: string
  readonly windows: readonly { id: string; spent: string; reserved: string; open: string }[] | null
}

const charge = (body: string, unit: 'usd' | 'tokens'): string =>
  unit === 'tokens'
    ? `coalesce(sum((${body} -> 'charge' ->> 'tokens')::numeric), 0)`
    : `coalesce(sum(round((${body} -> 'charge' ->> 'cost')::numeric * ${USD_SCALE})), 0)`

/** One statement, so that records, pending records and budgets are of one moment. $1: last checked sequence by Workspace. $2: budgets. */
const CHAINS = `
with known as (select key::uuid as workspace, value::bigint as last from jsonb_each_text($1::jsonb)),
fresh as materialized (
  select r.workspace_id, r.sequence, r.prev_hash, r.hash, r.body::jsonb as body, coalesce(k.last, 0) as known
  from audit_record r left join known k on k.workspace = r.workspace_id
  where r.sequence > coalesce(k.last, 0)
),
linked as (
  select f.workspace_id, f.sequence, f.known, f.sequence <> f.known + row_number() over w as gap,
    f.prev_hash is distinct from coalesce(
      lag(f.hash) over w,
      (select hash from audit_record where workspace_id = f.workspace_id and sequence = f.known),
      f.prev_hash) as wrong
  from fresh f window w as (partition by f.workspace_id order by f.sequence)
),
chains as (select workspace_id as workspace, max(sequence) as last, count(*) filter (where gap or wrong) as broken from linked group by 1)
select (select jsonb_agg(c) from chains c) as chains,
  (select ${charge('body', 'usd')} from fresh)::text as usd, (select ${charge('body', 'tokens')} from fresh)::text as tokens,
  (select ${charge('p.body', 'usd')} from (select (before_integrity || '","sequence":0' || after_integrity)::jsonb as body from audit_pending) p)::text as pending_usd,
  (select ${charge('p.body', 'tokens')} from (select (before_integrity || '","sequence":0' || after_integrity)::jsonb as body from audit_pending) p)::text as pending_tokens,
  (select jsonb_agg(jsonb_build_object('id', b.id, 'spent', b.spent::text, 'reserved', b.reserved::text, 'open', b.open::text)) from (
    select w.budget_id as id, sum(w.spent) as spent, sum(w.reserved) as reserved, (
      select coalesce(sum(case e.unit when 'usd' then r.usd else r.tokens end), 0) from budget_reservation r,
        jsonb_to_recordset(r.entries) as e(budget uuid, unit text) where e.budget = w.budget_id) as open
    from budget_window w where w.budget_id = any($2::uuid[]) group by 1
  ) b) as windows`
