import { Group, Paper, Stack, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface SectionProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of a page with a heading. */
export function Section({ title, actions, children }: SectionProps) {
  const id = useId()
  return (
    <Paper component="section" aria-labelledby={id} withBorder p="md">
      <Stack>
        <Group justify="space-between" mih={24}>
          <Title order={2} size="h4" id={id}>
            {title}
          </Title>
          {actions}
        </Group>
        {children}
      </Stack>
    </Paper>
  )
}
