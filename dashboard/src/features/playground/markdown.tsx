import { Text } from '@mantine/core'
import { lazy, Suspense } from 'react'

const MarkdownText = lazy(async () => ({ default: (await import('./markdown-text.tsx')).MarkdownText }))

/** Markdown of a completion. Shown as plain text until the renderer is loaded. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <Suspense fallback={<Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Text>}>
    <MarkdownText text={text} />
  </Suspense>
)
