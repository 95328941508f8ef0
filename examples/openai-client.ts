// A chat, a stream, a refusal and a review with the official `openai` client. Requires a running demo (`npm start`):
//   scripts/run node examples/openai-client.ts
import { readFileSync } from 'node:fs'
import OpenAI from 'openai'

const demo = JSON.parse(readFileSync('data/demo.json', 'utf8'))
const client = new OpenAI({ baseURL: `${demo.base_url}/v1`, apiKey: demo.applications[0].api_key })
const ask = (content: string) => ({ model: 'demo-mini', messages: [{ role: 'user' as const, content }] })

const completion = await client.chat.completions.create(ask('Good morning!'))
console.log('chat    ', completion.choices[0]?.message.content)

process.stdout.write('stream   ')
for await (const chunk of await client.chat.completions.create({
  ...ask('Summarise: our new office opens in March.'),
  stream: true,
})) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '')
}
console.log()

try {
  await client.chat.completions.create(ask('Why does this fail? aws_access_key_id = AKIAQ3EGRWZT5HPLV2NX'))
} catch (error) {
  if (!(error instanceof OpenAI.PermissionDeniedError)) throw error
  console.log('refused ', error.code, error.error)
}

const order = ask('Please wire EUR 48,500 to Brightwater Supplies today.')
try {
  await client.chat.completions.create(order)
} catch (error) {
  if (!(error instanceof OpenAI.ConflictError)) throw error
  const { review_item_id } = error.error as { review_item_id: string }
  console.log('held    ', review_item_id)

  // A reviewer approves the item over the admin API:
  const headers = { authorization: `Bearer ${demo.admin_token}`, 'content-type': 'application/json' }
  await fetch(`${demo.base_url}/admin/v1/reviews/${review_item_id}/approve`, { method: 'POST', headers, body: '{}' })

  // The same request again, with the item's id. The client forwards Gatehouse's own field `governance`.
  const resubmitted: OpenAI.ChatCompletionCreateParamsNonStreaming & { governance: object } = {
    ...order,
    governance: { review_item_id },
  }
  const released = await client.chat.completions.create(resubmitted)
  console.log('released', released.choices[0]?.message.content)
}
