import { between, pick, type Random } from '../random.ts'
import type { KillableNode } from './node.ts'
import type { Postgres } from './postgres.ts'

export interface Victims {
  readonly nodes: readonly KillableNode[]
  readonly postgres: Postgres
}

interface Kind {
  readonly name: string
  /** How many of a hundred kills are of this kind. */
  readonly share: number
  readonly apply: (victims: Victims, random: Random) => Promise<void>
}

const FREEZE_MS: readonly [number, number] = [50, 2_500]
const CUT_MS: readonly [number, number] = [200, 3_000]

const KINDS: readonly Kind[] = [
  { name: 'node', share: 40, apply: ({ nodes }, random) => pick(random, nodes).kill() },
  { name: 'database process', share: 17, apply: async ({ postgres }, random) => void (await postgres.killOneProcess(random)) },
  { name: 'database', share: 14, apply: killDatabase },
  { name: 'frozen node', share: 14, apply: ({ nodes }, random) => pick(random, nodes).freeze(between(random, ...FREEZE_MS)) },
  { name: 'network cut', share: 7, apply: ({ nodes }, random) => pick(random, nodes).cutNetwork(between(random, ...CUT_MS)) },
  { name: 'network reset', share: 8, apply: async ({ nodes }, random) => pick(random, nodes).resetNetwork() },
]

/** The kind of the next kill. */
export function chooseKind(random: Random): Kind {
  let left = random() * KINDS.reduce((sum, { share }) => sum + share, 0)
  const chosen = KINDS.find(({ share }) => {
    left -= share
    return left < 0
  })
  return chosen ?? pick(random, KINDS)
}

async function killDatabase({ postgres }: Victims): Promise<void> {
  await postgres.kill()
  await postgres.start()
}
