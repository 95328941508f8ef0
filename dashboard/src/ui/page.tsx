import { Box, Group, Stack, Text, Title } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from './link.tsx'
import { useWindowTitle } from './use-window-title.ts'

interface PageProps {
  readonly title: string
  /** The purpose of the page in one sentence. */
  readonly description?: ReactNode
  /** Page that lists or contains the object of this page. */
  readonly parent?: { readonly to: string; readonly label: string }
  /** Buttons to the right of the title, on narrow screens below it. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Frame of a page: heading, which is also the window title, actions and content. */
export function Page({ title, description, parent, actions, children }: PageProps) {
  useWindowTitle(title)
  return (
    <Stack gap="lg" maw={1280}>
      <Group justify="space-between" align="flex-start">
        <Box flex="1 1 280px" miw={0}>
          {parent && (
            <Link to={parent.to} size="sm" c="dimmed" display="inline-flex" style={{ alignItems: 'center' }}>
              <IconChevronLeft size={14} aria-hidden />
              {parent.label}
            </Link>
          )}
          <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {description && (
            <Text c="dimmed" size="sm">
              {description}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
