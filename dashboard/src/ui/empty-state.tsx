import { Center, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  readonly title: string
  /** The next step, or the reason. */
  readonly children?: ReactNode
  readonly action?: ReactNode
  /** 1: the page has no other heading. */
  readonly order?: 1 | 2
}

/** Shown if there is no data. */
export function EmptyState({ title, children, action, order = 2 }: EmptyStateProps) {
  return (
    <Center py="xl">
      <Stack align="center" gap="xs" maw={460} ta="center">
        <Title order={order} size="h4">
          {title}
        </Title>
        {children && <Text c="dimmed">{children}</Text>}
        {action}
      </Stack>
    </Center>
  )
}
