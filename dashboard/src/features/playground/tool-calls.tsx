import { Button, Code, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ToolCall, ToolResult } from './chat.ts'

interface ToolCallsProps {
  readonly calls: readonly ToolCall[]
  /** The results were sent. */
  readonly answered: boolean
  readonly onSend: (results: readonly ToolResult[]) => void
}

/** Tool calls of the model, with inputs for their results. */
export function ToolCalls({ calls, answered, onSend }: ToolCallsProps) {
  const { t } = useTranslation('playground')
  const [results, setResults] = useState<Readonly<Record<string, string>>>({})
  return (
    <Stack gap="xs">
      {calls.map(({ id, name, arguments: text }) => (
        <Stack key={id} gap={4}>
          <Text size="sm" fw={600}>
            {t('tools.call', { name })}
          </Text>
          <Code block>{formatJson(text)}</Code>
          {!answered && (
            <Textarea
              label={t('tools.result', { name })}
              autosize
              maxRows={8}
              value={results[id] ?? ''}
              onChange={({ currentTarget: { value } }) => setResults((before) => ({ ...before, [id]: value }))}
            />
          )}
        </Stack>
      ))}
      {!answered && (
        <Button
          size="xs"
          variant="default"
          w="fit-content"
          onClick={() => onSend(calls.map(({ id }) => ({ callId: id, content: results[id] ?? '' })))}
        >
          {t('tools.send')}
        </Button>
      )}
    </Stack>
  )
}

/** Indents JSON; other texts are unchanged. */
function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
