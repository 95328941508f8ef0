import type { Gatehouse } from './gatehouse.ts'

/** Sends a request to the admin API. @throws unless the status is 2xx. */
async function callAdmin(
  { port, demo }: Pick<Gatehouse, 'port' | 'demo'>,
  method: string,
  path: string,
  body?: { readonly json: object } | { readonly yaml: string },
): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${demo.admin_token}`,
      ...(body && { 'content-type': 'yaml' in body ? 'application/yaml' : 'application/json' }),
    },
    ...(body && { body: 'yaml' in body ? body.yaml : JSON.stringify(body.json) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} /admin/v1${path}: ${response.status} ${text.slice(0, 500)}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Sets limits that no benchmark reaches (they are still counted) and disables knowledge and memory, as the bars assume. */
export async function prepareApplication(gatehouse: Pick<Gatehouse, 'port' | 'demo'>): Promise<void> {
  const limits = { requests_per_minute: 1_000_000, burst: 100_000, concurrency: 1_000 }
  const settings = { knowledge: { enabled: false }, memory: { enabled: false, capture: 'off' } }
  const [application] = gatehouse.demo.applications
  await callAdmin(gatehouse, 'PATCH', `/applications/${application?.id}`, {
    json: { limits, settings, models: null, providers: null },
  })
}

export const publishPolicy = (gatehouse: Pick<Gatehouse, 'port' | 'demo'>, yaml: string): Promise<unknown> =>
  callAdmin(gatehouse, 'POST', '/policy-sets', { yaml })
