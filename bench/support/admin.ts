import type { Gatehouse } from './gatehouse.ts'

/** One call of the admin API. @throws unless it is answered with 2xx. */
async function admin(
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

/** Limits that no benchmark reaches, still counted for every request; and a chat without knowledge and memory, as the bars have it. */
export async function clearTheWay(gatehouse: Gatehouse): Promise<void> {
  const limits = { requests_per_minute: 1_000_000, burst: 100_000, concurrency: 1_000 }
  const settings = { knowledge: { enabled: false }, memory: { enabled: false, capture: 'off' } }
  const [application] = gatehouse.demo.applications
  await admin(gatehouse, 'PATCH', `/applications/${application?.id}`, { json: { limits, settings } })
}

export const publishPolicy = (gatehouse: Gatehouse, yaml: string): Promise<unknown> =>
  admin(gatehouse, 'POST', '/policy-sets', { yaml })
