import type { Answer } from './crash-client.ts'

/** A hold that a client was told of: a 409 with this id has reached it. */
export interface KnownHold {
  readonly id: string
  readonly marker: string
  /** Before the provider, or on its answer. */
  readonly point: 'input' | 'output'
  /** The request, as it has to come back. */
  readonly body: object
  /** `asked`: whether the approval arrived is unknown, the server was killed meanwhile. */
  approval: 'none' | 'asked' | 'granted'
  /** What was released, without what each exchange has of its own. */
  result: string | undefined
  attempts: number
  /** Resubmissions whose answer was lost. */
  cut: number
  /** The gateway said that a crash fell between the provider's call and its answer: it does not call again. */
  interrupted: boolean
}

/** What the clients have seen, through all crashes; and what they should not have seen. */
export class CrashLedger {
  /** Audit id → status, of every answer whose head reached a client. */
  readonly answers = new Map<string, number>()
  readonly holds: KnownHold[] = []
  readonly violations: string[] = []
  repeats = 0

  /** Notes an answer and returns it. */
  seen(answer: Answer | undefined): Answer | undefined {
    if (!answer) return undefined
    if (answer.auditId !== undefined) this.answers.set(answer.auditId, answer.status)
    else this.violated(`an answer with status ${answer.status} has no x-audit-id: ${answer.text?.slice(0, 200)}`)
    return answer
  }

  /** The JSON body, when it is there and the status is the expected one; anything else but a broken connection is a violation. */
  expect(answer: Answer | undefined, status: number, what: string): Record<string, unknown> | undefined {
    if (!answer) return undefined
    if (answer.status !== status) {
      this.violated(`${what}: ${answer.status} instead of ${status}: ${answer.text?.slice(0, 300)}`)
      return undefined
    }
    return answer.text === undefined ? undefined : JSON.parse(answer.text)
  }

  violated(what: string): void {
    this.violations.push(what)
  }

  /** The first 200 counts; every later one has to say the same. */
  released(hold: KnownHold, { id, model, choices, usage }: Record<string, unknown>): void {
    const result = JSON.stringify({ id, model, choices, usage })
    if (!result.includes(hold.marker)) this.violated(`${hold.id} released another request's answer: ${result}`)
    if (hold.result !== undefined && hold.result !== result) {
      this.violated(`${hold.id} was released twice, differently: ${hold.result} then ${result}`)
    }
    if (hold.result !== undefined) this.repeats++
    hold.result ??= result
  }
}
