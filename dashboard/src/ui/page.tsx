import { Box, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { LinkButton } from './link.tsx'

interface PageProps {
  readonly title: string
  /** The purpose of the page in one sentence. */
  readonly description?: ReactNode
  /** Page that lists or contains the object of this page. */
  readonly parent?: { readonly to: string; readonly label: string }
  /** Buttons to the right of the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Frame of a page: heading, which is also the window title, actions and content. */
export function Page({ title, description, parent, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Gatehouse`
  }, [title])
  return (
    <Stack gap="lg" maw={1280}>
      <Group justify="space-between" align="flex-start">
        <Box flex="1 1 280px">
          <Title order={1} size="h2">
            {title}
          </Title>
          {description && <Text c="dimmed">{description}</Text>}
        </Box>
        {(parent || actions) && (
          <Group gap="xs">
            {parent && (
              <LinkButton to={parent.to} variant="subtle">
                {parent.label}
              </LinkButton>
            )}
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </Stack>
  )
}
