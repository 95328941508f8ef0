import { Box, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

interface PageProps {
  readonly title: string
  /** One sentence: what the page is for. */
  readonly description?: ReactNode
  /** What can be done here, at the right of the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The frame of every page: its one heading, which is the window's title too, its actions, its content. */
export function Page({ title, description, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Gatehouse`
  }, [title])
  return (
    <Stack gap="lg" maw={1280}>
      <Group justify="space-between" align="flex-start">
        <Box>
          <Title order={1} size="h2">
            {title}
          </Title>
          {description && <Text c="dimmed">{description}</Text>}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
