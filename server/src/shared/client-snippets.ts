import type { Extension } from './principal.ts'

export interface ClientSnippet {
  readonly name: string
  /** Extensions of the Application that the client needs. */
  readonly needs: readonly Extension[]
  /** Begins a comment line of the code. Absent: the code is for a shell. */
  readonly comment?: string
  readonly code: (values: { readonly base: string; readonly model: string }) => string
}

/** The code with the line for the shell that sets the key. Without a key it is the code alone. */
export function codeWithKey(
  client: ClientSnippet,
  { key, ...values }: { base: string; model: string; key?: string | undefined },
) {
  const code = client.code(values)
  if (key === undefined) return code
  const line = `export GATEHOUSE_KEY=${key}`
  return client.comment === undefined ? `${line}\n${code}` : `${client.comment} In the shell: ${line}\n${code}`
}

const TOOLS: readonly Extension[] = ['tools', 'content_parts']

/** The key of the Application is in the environment variable GATEHOUSE_KEY. The dashboard and `gatehouse application create` show the code. */
export const CLIENT_SNIPPETS: readonly ClientSnippet[] = [
  {
    name: 'curl',
    needs: [],
    code: ({ base, model }) => `curl ${base}/v1/chat/completions \\
  -H "Authorization: Bearer $GATEHOUSE_KEY" -H 'Content-Type: application/json' \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'`,
  },
  {
    name: 'Python',
    comment: '#',
    needs: [],
    code: ({ base, model }) => `import os
from openai import OpenAI

client = OpenAI(base_url="${base}/v1", api_key=os.environ["GATEHOUSE_KEY"])
completion = client.chat.completions.create(
    model="${model}", messages=[{"role": "user", "content": "Hello"}]
)
print(completion.choices[0].message.content)`,
  },
  {
    name: 'Node',
    comment: '//',
    needs: [],
    code: ({ base, model }) => `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${base}/v1', apiKey: process.env.GATEHOUSE_KEY })
const completion = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(completion.choices[0].message.content)`,
  },
  {
    name: 'Vercel AI SDK',
    comment: '//',
    needs: [],
    code: ({ base, model }) => `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'

const gatehouse = createOpenAICompatible({
  name: 'gatehouse', baseURL: '${base}/v1', apiKey: process.env.GATEHOUSE_KEY
})
const { text } = await generateText({ model: gatehouse('${model}'), prompt: 'Hello' })
console.log(text)`,
  },
  {
    name: 'Anthropic SDK',
    needs: [],
    comment: '//',
    code: ({ base, model }) => `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ baseURL: '${base}', apiKey: process.env.GATEHOUSE_KEY })
const message = await client.messages.create({
  model: '${model}',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(message.content[0].text)`,
  },
  {
    name: 'LangChain',
    comment: '#',
    needs: [],
    code: ({ base, model }) => `import os
from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    model="${model}", base_url="${base}/v1", api_key=os.environ["GATEHOUSE_KEY"]
)
print(model.invoke("Hello").content)`,
  },
  {
    name: 'Claude Code',
    needs: TOOLS,
    code: ({ base, model }) => `export ANTHROPIC_BASE_URL=${base}
export ANTHROPIC_AUTH_TOKEN=$GATEHOUSE_KEY
export ANTHROPIC_MODEL=${model}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${model}
claude`,
  },
  {
    name: 'Codex',
    comment: '#',
    needs: TOOLS,
    code: ({ base, model }) => `# ~/.codex/config.toml
model = "${model}"
model_provider = "gatehouse"
web_search = "disabled"

[model_providers.gatehouse]
name = "Gatehouse"
base_url = "${base}/v1"
env_key = "GATEHOUSE_KEY"
wire_api = "responses"`,
  },
]

/** The extensions of an Application that an operator creates: most clients need them. Over the API they are off (GW-CHAT-17). */
export const DEFAULT_EXTENSIONS: readonly Extension[] = [...TOOLS, 'developer_role']
