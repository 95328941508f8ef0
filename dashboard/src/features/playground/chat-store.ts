import { useSyncExternalStore } from 'react'
import type { Chat, Identity, Step, Turn } from './chat.ts'
import { NO_PARAMETERS, type Parameters } from './parameters.ts'

/** State that survives a reload and ends with the window, because chats can be confidential. */
interface Saved {
  /** Id of the operator. Another operator who signs in in this window starts empty. */
  readonly operator: string | undefined
  /** The newest last. */
  readonly chats: readonly Chat[]
  /** Parameters by Workspace and Application. */
  readonly parameters: Readonly<Record<string, Parameters>>
  /** Query of the last visit, by Workspace. */
  readonly searches: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** The oldest chats are removed. */
const MAX_CHATS = 30
/** Browsers allow about 5 MB. */
const MAX_CHARACTERS = 2_000_000
const STORAGE_KEY = 'gatehouse.playground'

/** A stream changes a chat many times a second. */
const WRITE_DELAY_MS = 300
const EMPTY: Saved = { operator: undefined, chats: [], parameters: {}, searches: {} }

let saved: Saved = read()
let writing: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function change(changes: Partial<Saved>): void {
  saved = { ...saved, ...changes }
  for (const listener of listeners) listener()
  writing ??= setTimeout(write, WRITE_DELAY_MS)
}

/** Removes what another operator left in this window. */
export function claimStore(operator: string): void {
  if (saved.operator !== operator) saved = { ...EMPTY, operator }
}

export const useSaved = (): Saved => useSyncExternalStore(subscribe, () => saved)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The newest chat of the Application, user and session. */
export const findChat = ({ chats }: Saved, workspace: string | undefined, identity: Identity): Chat | undefined =>
  chats.findLast((chat) => chat.workspace === workspace && isSame(chat.identity, identity))

const isSame = (one: Identity, other: Identity): boolean =>
  one.application === other.application && one.as === other.as && one.user === other.user && one.session === other.session

/** Adds an empty chat, which becomes the newest. */
export function startChat(workspace: string | undefined, identity: Identity): Chat {
  const chat: Chat = { id: crypto.randomUUID(), workspace, identity, turns: [] }
  // Only one chat without messages is kept for each user.
  const others = saved.chats.filter(
    (one) => one.turns.length > 0 || one.workspace !== workspace || !isSame(one.identity, identity),
  )
  change({ chats: [...others, chat].slice(-MAX_CHATS) })
  return chat
}

/** Makes a chat the newest, so that it is shown for its user. */
export function openChat(id: string): void {
  const chat = saved.chats.find((one) => one.id === id)
  if (chat) change({ chats: [...saved.chats.filter((one) => one !== chat), chat] })
}

export const changeTurns = (chatId: string, edit: (turns: readonly Turn[]) => readonly Turn[]): void =>
  change({ chats: saved.chats.map((chat) => (chat.id === chatId ? { ...chat, turns: edit(chat.turns) } : chat)) })

export function changeStep(chatId: string, stepId: string, changes: Partial<Step>): void {
  const edit = (step: Step): Step => (step.id === stepId ? { ...step, ...changes } : step)
  changeTurns(chatId, (turns) =>
    turns.map((turn) => ({ ...turn, replies: turn.replies.map((reply) => ({ ...reply, steps: reply.steps.map(edit) })) })),
  )
}

export const removeChats = (workspace: string | undefined): void =>
  change({ chats: saved.chats.filter((chat) => chat.workspace !== workspace) })

const parametersKey = (workspace: string | undefined, application: string | undefined): string =>
  JSON.stringify([workspace, application])

export const parametersOf = ({ parameters }: Saved, workspace: string | undefined, application: string | undefined): Parameters =>
  parameters[parametersKey(workspace, application)] ?? NO_PARAMETERS

export const changeParameters = (
  workspace: string | undefined,
  application: string | undefined,
  changes: Partial<Parameters>,
): void =>
  change({
    parameters: {
      ...saved.parameters,
      [parametersKey(workspace, application)]: { ...parametersOf(saved, workspace, application), ...changes },
    },
  })

export const saveSearch = (workspace: string | undefined, search: Readonly<Record<string, unknown>>): void =>
  change({ searches: { ...saved.searches, [workspace ?? '']: search } })

/** Requests in flight ended with the page that sent them. */
function read(): Saved {
  const text = readStorage()
  if (text === null) return EMPTY
  return JSON.parse(text, (_key, value) => (value?.state === 'pending' ? { ...value, state: 'stopped' } : value)) as Saved
}

/** A browser without storage starts empty. */
function readStorage(): string | null {
  try {
    return sessionStorage.getItem(STORAGE_KEY)
  } catch {
    return null
  }
}

/** Leaves out the oldest chats if the storage would be full. */
function write(): void {
  clearTimeout(writing)
  writing = undefined
  let { chats } = saved
  let text = JSON.stringify(saved)
  while (text.length > MAX_CHARACTERS && chats.length > 0) {
    chats = chats.slice(1)
    text = JSON.stringify({ ...saved, chats })
  }
  try {
    sessionStorage.setItem(STORAGE_KEY, text)
  } catch {
    // The chats stay in memory.
  }
}

addEventListener('pagehide', write)
