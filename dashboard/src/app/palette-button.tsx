import { ActionIcon, Kbd, UnstyledButton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../api/session.ts'
import classes from './header.module.css'

/** Loaded when it opens for the first time. */
const CommandPalette = lazy(async () => ({ default: (await import('./command-palette.tsx')).CommandPalette }))

const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K'

/** Opens the command palette, as Ctrl+K or ⌘+K does on every page, in text inputs too. */
export function PaletteButton() {
  const { t } = useTranslation('app')
  const isLoaded = useSession().data !== undefined
  const [openings, setOpenings] = useState(0)
  const open = () => isLoaded && setOpenings((count) => count + 1)
  useHotkeys([['mod+K', open]], [], true)
  return (
    <>
      <UnstyledButton className={classes.search ?? ''} visibleFrom="md" onClick={open} aria-haspopup="dialog">
        <IconSearch size={15} aria-hidden />
        {t('palette.open')}
        <Kbd>{SHORTCUT}</Kbd>
      </UnstyledButton>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        hiddenFrom="md"
        aria-label={t('palette.open')}
        aria-haspopup="dialog"
        onClick={open}
      >
        <IconSearch size={18} stroke={1.6} />
      </ActionIcon>
      {openings > 0 && (
        <Suspense>
          <CommandPalette openings={openings} />
        </Suspense>
      )}
    </>
  )
}
