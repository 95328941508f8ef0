import type { ServerResponse } from 'node:http'
import { expectSuccess } from './gateway-client.ts'
import type { Governed } from './governed.ts'
import { completion, json, word } from './scripted-provider.ts'
import { sharedGoverned } from './shared-server.ts'

interface BudgetBody {
  readonly resets_at: string
  readonly current: { readonly spent: number; readonly reserved: number; readonly [field: string]: unknown }
}

interface RecordBody {
  readonly charge: { readonly cost: number; readonly estimated: boolean; readonly tokens: number }
  readonly attempts: readonly { readonly outcome: string; readonly cost?: number }[]
}

/** A budget for a new Application, so that tests do not count each other's requests. */
export async function budgetedApplication(
  governed: Governed,
  fields: object = {},
  application: Readonly<Record<string, unknown>> = {},
) {
  const { id, token } = await governed.application(application)
  const body = { name: word(), scope: 'application', member: id, unit: 'usd', limit: 10, period: 'day', ...fields }
  const budget = expectSuccess(await governed.admin('POST', '/budgets', { json: body }), 201)
  return {
    id: budget.id as string,
    name: body.name,
    application: id,
    token,
    send: (more: object = {}, prompt = word(), options: object = {}) =>
      governed.chat(prompt, { model: 'scripted', max_tokens: 10, ...more }, { token, ...options }),
    read: async () => expectSuccess(await governed.admin('GET', `/budgets/${budget.id}`)) as unknown as BudgetBody,
    change: async (json: object) => expectSuccess(await governed.admin('PATCH', `/budgets/${budget.id}`, { json })),
  }
}

export const findRecord = async (governed: Governed, id: unknown): Promise<RecordBody> =>
  expectSuccess(await governed.admin('GET', `/audit/${id}`)) as unknown as RecordBody

/** The scripted provider counts 11 and 7 tokens: 11 × 0.001 + 7 × 0.01 USD at the prices of `governedWithPrices`. */
export const COST = 0.081
/** The most that the output of a request with `max_tokens: 10` can cost at these prices. */
export const MOST_OUTPUT = 0.1

/** The shared server, with a price of the scripted model: 1,000 and 10,000 USD a million tokens. */
export async function governedWithPrices(): Promise<Governed> {
  const governed = await sharedGoverned()
  const json = { input_price: 1_000, output_price: 10_000 }
  expectSuccess(await governed.admin('PUT', '/providers/openai/models/scripted', { json }))
  return governed
}

type Behaviour = (response: ServerResponse) => void

/** Runs the behaviours one after the other for requests with the returned word; the last one stays. */
export function scriptProvider({ provider }: Governed, ...behaviours: readonly Behaviour[]): string {
  const key = word()
  let calls = 0
  provider.on(key, (response) => behaviours[Math.min(calls++, behaviours.length - 1)]?.(response))
  return key
}
export const breaks: Behaviour = (response) => void response.socket?.destroy()
export const answers =
  (more: object = {}, text = 'Two words.'): Behaviour =>
  (response) =>
    json(response, 200, completion(text, { ...more }))
