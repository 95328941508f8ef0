import { ApiError, hasStatus } from '../../api/api-error.ts'
import { type ResponseOf, sendRequest } from '../../api/operations.ts'
import { deleteLocalCopy, keepLocalCopy, type LocalCopy } from './local-copy.ts'

export type StoredDraft = ResponseOf<'get', '/admin/v1/policy-drafts/{id}'>
export type Edits = Partial<Pick<StoredDraft, 'title' | 'note' | 'source' | 'base_version'>>

/** `changed`: another operator or tab has changed the draft. `local`: the server did not answer, the text is kept in this browser. */
export type SaveStatus = 'saved' | 'saving' | 'local' | 'changed' | 'deleted'

export interface SaveState {
  /** The draft as the server has stored it. */
  readonly saved: StoredDraft
  readonly status: SaveStatus
  /** The draft of the other editor, if both have changed the same revision. */
  readonly other: StoredDraft | undefined
}

const PAUSE_MS = 1_000
const RETRY_MS = 5_000

/** Sends edits after a pause, one request at a time. A local copy keeps the text until the server has stored it. */
export class DraftSaver {
  #state: SaveState
  #pending: Edits = {}
  #running = Promise.resolve()
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #listeners = new Set<() => void>()
  readonly #onSaved: () => void

  /** `copy`: a text that an earlier visit could not send, with the revision that it is based on. */
  constructor(draft: StoredDraft, copy: LocalCopy | undefined, onSaved: () => void) {
    const saved = copy ? { ...draft, revision: copy.revision, source: copy.base } : draft
    this.#state = { saved, status: 'saved', other: undefined }
    this.#onSaved = onSaved
    if (copy) this.#pending = { source: copy.source }
  }

  readonly state = (): SaveState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    // A text of an earlier visit.
    if (Object.keys(this.#pending).length > 0) void this.flush()
    return () => {
      this.#listeners.delete(listener)
      // Leaving the page sends the rest at once.
      void this.flush()
    }
  }

  readonly edit = (edits: Edits, waitMs = PAUSE_MS): void => {
    this.#pending = { ...this.#pending, ...edits }
    const { saved, status } = this.#state
    if (edits.source !== undefined)
      keepLocalCopy(saved.id, { revision: saved.revision, base: saved.source, source: edits.source })
    if (status !== 'changed' && status !== 'deleted') this.#set({ status: 'saving' })
    this.#later(waitMs)
  }

  /** Continues on the revision of the other editor with the merged text. */
  readonly accept = (source: string): void => {
    const { other } = this.#state
    if (other) this.#set({ saved: other, other: undefined, status: 'saving' })
    this.edit({ source }, 0)
  }

  /** The draft was published or deleted. */
  readonly forget = (): void => {
    clearTimeout(this.#timer)
    this.#pending = {}
    deleteLocalCopy(this.#state.saved.id)
  }

  readonly flush = (): Promise<void> => {
    clearTimeout(this.#timer)
    this.#running = this.#running.then(() => this.#send())
    return this.#running
  }

  async #send(): Promise<void> {
    const edits = this.#pending
    if (Object.keys(edits).length === 0) return
    this.#pending = {}
    const { id, revision } = this.#state.saved
    try {
      const saved = await sendRequest('patch', '/admin/v1/policy-drafts/{id}', {
        params: { path: { id } },
        body: { ...edits, revision },
      })
      const isComplete = Object.keys(this.#pending).length === 0
      if (isComplete) deleteLocalCopy(id)
      this.#set({ saved, status: isComplete ? 'saved' : 'saving' })
      this.#onSaved()
    } catch (error) {
      this.#pending = { ...edits, ...this.#pending }
      this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    const other = draftIn(error)
    this.#set({ other, status: other ? 'changed' : hasStatus(error, 404) ? 'deleted' : 'local' })
    const isFinal = error instanceof ApiError && error.status < 500 && error.status !== 429
    if (!isFinal) this.#later(RETRY_MS)
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.flush(), ms)
  }

  #set(changes: Partial<SaveState>): void {
    this.#state = { ...this.#state, ...changes }
    for (const listener of this.#listeners) listener()
  }
}

/** The current draft, if the server has refused a change because of its revision. */
function draftIn(error: unknown): StoredDraft | undefined {
  if (!(error instanceof ApiError) || error.details.reason !== 'draft_changed') return undefined
  return error.details.draft as StoredDraft | undefined
}
