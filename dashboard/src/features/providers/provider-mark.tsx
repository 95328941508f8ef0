import { Avatar } from '@mantine/core'
import { IconBrandAws, IconBrandAzure, IconBrandOpenai, IconServer, IconTestPipe } from '@tabler/icons-react'
import {
  siAnthropic,
  siDeepseek,
  siGooglecloud,
  siGooglegemini,
  siMistralai,
  siMoonshotai,
  siOllama,
  siOpenrouter,
  siPerplexity,
  siVllm,
  siX,
} from 'simple-icons'

const SIZE = 16

/** Logos as paths, in a square of 24. */
const PATHS: Readonly<Record<string, string>> = {
  anthropic: siAnthropic.path,
  deepseek: siDeepseek.path,
  gemini: siGooglegemini.path,
  mistral: siMistralai.path,
  moonshot: siMoonshotai.path,
  ollama: siOllama.path,
  openrouter: siOpenrouter.path,
  perplexity: siPerplexity.path,
  vertex: siGooglecloud.path,
  vllm: siVllm.path,
  xai: siX.path,
}

const ICONS = {
  'azure-openai': IconBrandAzure,
  bedrock: IconBrandAws,
  openai: IconBrandOpenai,
  other: IconServer,
  stub: IconTestPipe,
} as const

/** The logo of a service, or its first letter if no library has the logo. Screen readers read the name next to it. */
export function ProviderMark({ service }: { readonly service: string }) {
  return (
    <Avatar size="sm" radius="sm" color="gray" aria-hidden>
      <Logo service={service} />
    </Avatar>
  )
}

function Logo({ service }: { readonly service: string }) {
  const path = PATHS[service]
  if (path) {
    return (
      <svg width={SIZE} height={SIZE} viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
        <path d={path} />
      </svg>
    )
  }
  const Icon = ICONS[service as keyof typeof ICONS]
  return Icon ? <Icon size={SIZE} /> : service.charAt(0).toUpperCase()
}
