interface Preset {
  readonly title: string
  /** Where an operator gets a key, or what to enter. */
  readonly hint: string
  readonly baseUrl: string
  readonly needsKey?: boolean
  /** Parameters that the server knows by another name: name of the chat API → name of the server. */
  readonly renamed?: Readonly<Record<string, string>>
  /** Path of the list of models below the base URL; null: the server has none. Default: `/models`. */
  readonly modelsPath?: string | null
}

/** The server has only the older name, and refuses or ignores the newer one. */
const OLDER_LIMIT = { max_completion_tokens: 'max_tokens' }

/** Servers with the OpenAI chat API, by the id that a provider of kind `openai` names as its `preset` (decision 0006, "Presets"). */
export const PRESETS = {
  cerebras: {
    title: 'Cerebras',
    hint: 'Create a key at cloud.cerebras.ai under API keys.',
    baseUrl: 'https://api.cerebras.ai/v1',
  },
  deepseek: {
    title: 'DeepSeek',
    hint: 'Create a key at platform.deepseek.com under API keys.',
    baseUrl: 'https://api.deepseek.com/v1',
    renamed: OLDER_LIMIT,
  },
  fireworks: {
    title: 'Fireworks',
    hint: 'Create a key at app.fireworks.ai under Settings, API keys.',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
  },
  groq: { title: 'Groq', hint: 'Create a key at console.groq.com under API keys.', baseUrl: 'https://api.groq.com/openai/v1' },
  mistral: {
    title: 'Mistral',
    hint: 'Create a key at console.mistral.ai under API keys. Requests are processed in the EU.',
    baseUrl: 'https://api.mistral.ai/v1',
    // It answers 422 to each name that it does not know.
    renamed: { ...OLDER_LIMIT, seed: 'random_seed' },
  },
  moonshot: {
    title: 'Moonshot',
    hint: 'Create a key at platform.moonshot.ai under API keys.',
    baseUrl: 'https://api.moonshot.ai/v1',
    renamed: OLDER_LIMIT,
  },
  ollama: {
    title: 'Ollama',
    hint: 'No key. Replace localhost if Ollama runs on another host. A private address must be allowed below.',
    baseUrl: 'http://localhost:11434/v1',
    needsKey: false,
    renamed: OLDER_LIMIT,
  },
  openai: {
    title: 'OpenAI',
    hint: 'Create a key at platform.openai.com under API keys. Keys of a project can be limited to models.',
    baseUrl: 'https://api.openai.com/v1',
  },
  openrouter: {
    title: 'OpenRouter',
    hint: 'Create a key at openrouter.ai under Keys. Models are named vendor/model.',
    baseUrl: 'https://openrouter.ai/api/v1',
  },
  perplexity: {
    title: 'Perplexity',
    hint: 'Create a key at perplexity.ai under Settings, API. It has no list of models: add them by name.',
    baseUrl: 'https://api.perplexity.ai',
    renamed: OLDER_LIMIT,
    modelsPath: null,
  },
  together: {
    title: 'Together',
    hint: 'Create a key at api.together.ai under Settings, API keys.',
    baseUrl: 'https://api.together.xyz/v1',
    renamed: OLDER_LIMIT,
  },
  vllm: {
    title: 'vLLM',
    hint: 'No key by default. Replace localhost if vLLM runs on another host. A private address must be allowed below.',
    baseUrl: 'http://localhost:8000/v1',
    needsKey: false,
  },
  xai: { title: 'xAI', hint: 'Create a key at console.x.ai under API keys.', baseUrl: 'https://api.x.ai/v1' },
} as const satisfies Record<string, Preset>

export type PresetId = keyof typeof PRESETS
export const PRESET_IDS = Object.keys(PRESETS) as readonly PresetId[]

export const isPresetId = (id: string): id is PresetId => Object.hasOwn(PRESETS, id)
export const presetOf = (id: PresetId): Preset => PRESETS[id]

/** The parameters under the server's names. A parameter that is already there under that name stays as it is. */
export function renameParameters(
  parameters: Readonly<Record<string, unknown>>,
  renamed: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(parameters).flatMap(([name, value]) => {
    const other = Object.hasOwn(renamed, name) ? renamed[name] : undefined
    if (other === undefined) return [[name, value]]
    return Object.hasOwn(parameters, other) ? [] : [[other, value]]
  })
  return Object.fromEntries(entries)
}
