import type { User } from '../../shared/principal.ts'
import { PENDING_PROMPTS, type Prompt, TEAMS } from './prompts.ts'

export interface PlannedRequest {
  readonly at: Date
  readonly application: string
  readonly model: string
  readonly user: User
  readonly text: string
  /** Random number below 1 that decides what a reviewer does with it. */
  readonly chance: number
  readonly isLeftPending: boolean
}

const REQUESTS = 800
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** The pending requests come this long before the end. */
const PENDING_BEFORE_MS = [50 * MINUTE_MS, 20 * MINUTE_MS]

/** The same requests for the same times, so that an interrupted history continues where it ended. In time order. */
export function planHistory(from: Date, until: Date): readonly PlannedRequest[] {
  const random = mulberry32(Math.floor(from.getTime() / 1_000))
  const last = until.getTime() - 60 * MINUTE_MS
  const times = Array.from({ length: REQUESTS }, () => timeAt(random, from.getTime(), last)).toSorted((a, b) => a - b)
  const requests = times.map((time) => plan(new Date(time), random))
  const pending = PENDING_PROMPTS.map((text, index) => ({
    ...plan(new Date(until.getTime() - (PENDING_BEFORE_MS[index] ?? MINUTE_MS)), random),
    text,
    isLeftPending: true,
  }))
  return [...requests, ...pending]
}

function plan(at: Date, random: () => number): PlannedRequest {
  const { application, ownModel, prompts, users } = TEAMS[random() < 0.62 ? 0 : 1]
  return {
    at,
    application,
    model: random() < 0.35 ? ownModel : 'demo-mini',
    // Squared: the first users of a team send the most.
    user: users[Math.floor(random() ** 2 * users.length)] ?? users[0],
    text: pick(prompts, random()),
    chance: random(),
    isLeftPending: false,
  } as PlannedRequest
}

/** More during working hours and on weekdays, and more towards the end. */
function timeAt(random: () => number, from: number, until: number): number {
  for (;;) {
    const time = from + Math.sqrt(random()) * (until - from)
    const date = new Date(time)
    const hour = date.getUTCHours()
    const isWeekend = date.getUTCDay() % 6 === 0
    const weight = (hour >= 7 && hour < 18 ? 1 : 0.12) * (isWeekend ? 0.25 : 1)
    // The last day is shown by default.
    if (random() < weight || until - time < DAY_MS / 4) return Math.floor(time)
  }
}

function pick(prompts: readonly Prompt[], chance: number): string {
  let left = chance * prompts.reduce((sum, { share }) => sum + share, 0)
  for (const { share, text } of prompts) {
    left -= share
    if (left < 0) return text
  }
  return prompts[0]?.text ?? ''
}

function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
