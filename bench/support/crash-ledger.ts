import type { Answer } from './crash-client.ts'

/** A hold whose id a client received in a 409 response. */
export interface KnownHold {
  readonly id: string
  readonly marker: string
  /** Point at which the request or completion is held. */
  readonly point: 'input' | 'output'
  /** Body of the request, which a release repeats. */
  readonly body: object
  /** `asked`: the server was killed before its response, so the approval may be stored or not. */
  approval: 'none' | 'asked' | 'granted'
  /** The released completion, without the fields that differ in each response. */
  result: string | undefined
  attempts: number
  /** Number of release requests whose response was lost. */
  cut: number
  /** The gateway responded that a crash interrupted the provider request, which it does not repeat. */
  interrupted: boolean
}

/** The responses that clients received over all crashes, and violations of the guarantees. */
export class CrashLedger {
  /** Status by audit id of every response whose headers a client received. */
  readonly answers = new Map<string, number>()
  readonly holds: KnownHold[] = []
  readonly violations: string[] = []
  repeats = 0

  /** Stores and returns a response. */
  seen(answer: Answer | undefined): Answer | undefined {
    if (!answer) return undefined
    if (answer.auditId !== undefined) this.answers.set(answer.auditId, answer.status)
    else this.violated(`an answer with status ${answer.status} has no x-audit-id: ${answer.text?.slice(0, 200)}`)
    return answer
  }

  /** Returns the JSON body. Another status is a violation, a broken connection is not. */
  expect(answer: Answer | undefined, status: number, action: string): Record<string, unknown> | undefined {
    if (!answer) return undefined
    if (answer.status !== status) {
      this.violated(`${action}: ${answer.status} instead of ${status}: ${answer.text?.slice(0, 300)}`)
      return undefined
    }
    return answer.text === undefined ? undefined : JSON.parse(answer.text)
  }

  violated(violation: string): void {
    this.violations.push(violation)
  }

  /** Stores the first result. Every later result must be equal. */
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
