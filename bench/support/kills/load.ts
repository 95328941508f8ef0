import { setTimeout as sleep } from 'node:timers/promises'
import { approve, chat, denied, hold, release, stream } from '../crash-actions.ts'
import type { KnownHold } from '../crash-ledger.ts'
import { pick, type Random, seeded } from '../random.ts'
import { KillApiClient, KillClient, type LoadOptions, type Running } from './clients.ts'
import { keepMemories } from './memories.ts'
import { writeMessages } from './messages.ts'

const CHATTERS = 8
/** Between two requests of a client, so that the machine has time for restarts. */
const PAUSE_MS = 40

interface Chatter extends LoadOptions {
  readonly client: KillClient
  readonly random: Random
  /** Holds that a client releases or approves now. */
  readonly busy: Set<KnownHold>
}

/** Clients that send chats, holds, decisions, releases, messages and memories to all nodes until `stop`. */
export class KillLoad {
  readonly chatters: readonly KillClient[]
  readonly #api: KillApiClient
  readonly #running = { isOver: false }
  readonly #work: readonly Promise<void>[]

  constructor(options: LoadOptions) {
    this.#api = new KillApiClient(options)
    const busy = new Set<KnownHold>()
    this.chatters = Array.from({ length: CHATTERS }, () => new KillClient(options))
    this.#work = [
      ...this.chatters.map((client, index) =>
        sendChats({ ...options, client, busy, random: mixed(options.seed, index) }, this.#running),
      ),
      ...writeMessages(options, this.#api, this.#running),
      keepMemories(options, this.#api, mixed(options.seed, CHATTERS), this.#running),
    ]
  }

  async stop(): Promise<void> {
    this.#running.isOver = true
    await Promise.all(this.#work)
    await this.#api.close()
    for (const client of this.chatters) await client.close()
  }
}

/** Two generators, because the sequences of one with different seeds may overlap. */
function mixed(seed: number, index: number): Random {
  const [one, other] = [seeded(seed * 31 + index), seeded(seed * 1_009 + index * 101 + 7)]
  return () => (one() + other()) % 1
}

type Step = (chatter: Chatter) => Promise<void>

async function sendChats(chatter: Chatter, running: Running): Promise<void> {
  for (; !running.isOver; await sleep(PAUSE_MS)) await pick(chatter.random, STEPS)(chatter)
}

const plain =
  (action: typeof chat): Step =>
  async ({ client, ledger, random }) =>
    void (await action({ client, ledger, random, claimsOutliveNodes: true }))

const newHold =
  (point: KnownHold['point'], phrase: string): Step =>
  async ({ client, ledger, random }) => {
    const known = ledger.holds.length
    await hold(point, phrase)({ client, ledger, random, claimsOutliveNodes: true })
    for (const added of ledger.holds.slice(known)) ledger.changed.add(added)
  }

/** Runs `action` on one of the holds, and on no hold that another client works on. */
async function onHold({ busy, random, ...chatter }: Chatter, holds: readonly KnownHold[], action: typeof approve): Promise<void> {
  const free = holds.filter((one) => !busy.has(one))
  if (free.length === 0) return
  const chosen = pick(random, free)
  busy.add(chosen)
  await action(chosen, chatter)
  busy.delete(chosen)
  chatter.ledger.changed.add(chosen)
}

/** One hold in four is never approved, so that there are pending holds at every kill. */
const approveOne: Step = (chatter) =>
  onHold(
    chatter,
    chatter.ledger.holds.filter(({ approval }, index) => approval !== 'granted' && index % 4 !== 0).slice(-20),
    approve,
  )

/** A claim of a killed node lasts until its lease ends, so releases without an outcome are repeated at the end of the run. */
const releaseOne: Step = (chatter) =>
  onHold(
    chatter,
    chatter.ledger.holds
      .filter(
        ({ approval, interrupted, cut, result }) => approval === 'granted' && !interrupted && !(cut > 0 && result === undefined),
      )
      .slice(-20),
    release,
  )

/** Frequent steps are listed several times. */
const STEPS: readonly Step[] = [
  ...[plain(chat), plain(chat), plain(chat), plain(chat), plain(stream), plain(stream), plain(denied)],
  newHold('input', 'hold this request'),
  newHold('output', 'have the answer read'),
  ...[approveOne, approveOne, releaseOne, releaseOne],
]
