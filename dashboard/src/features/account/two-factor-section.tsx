import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { createBackupCodes, disableTwoFactor, enableTwoFactor, type NewTwoFactor } from '../../api/auth.ts'
import { refreshPaths } from '../../api/queries.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { BackupCodes } from './backup-codes.tsx'
import { ConfirmPasswordForm } from './confirm-password-form.tsx'
import { TwoFactorSetup } from './two-factor-setup.tsx'

type Step =
  | { readonly kind: 'confirm'; readonly action: 'enable' | 'disable' | 'codes' }
  | { readonly kind: 'set-up'; readonly factor: NewTwoFactor }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }

/** Setup of two-factor authentication. Every change asks for the password first. */
export function TwoFactorSection({ enabled }: { readonly enabled: boolean }) {
  const { t } = useTranslation('account')
  const queries = useQueryClient()
  const [step, setStep] = useState<Step>()
  const close = () => {
    setStep(undefined)
    void refreshPaths(queries, ['/admin/v1/session'])
  }
  const start = async (action: 'enable' | 'disable' | 'codes', password: string) => {
    if (action === 'enable') setStep({ kind: 'set-up', factor: await enableTwoFactor(password) })
    else if (action === 'codes') setStep({ kind: 'codes', codes: (await createBackupCodes(password)).backupCodes })
    else await disableTwoFactor(password).then(close)
  }
  return (
    <Stack align="flex-start">
      <Badge color={enabled ? 'green' : 'gray'}>{enabled ? t('twoFactor.on') : t('twoFactor.off')}</Badge>
      <Text size="sm">{t('twoFactor.hint')}</Text>
      <Group>
        {enabled ? (
          <>
            <Button variant="default" size="xs" onClick={() => setStep({ kind: 'confirm', action: 'codes' })}>
              {t('twoFactor.createCodes')}
            </Button>
            <Button variant="default" size="xs" onClick={() => setStep({ kind: 'confirm', action: 'disable' })}>
              {t('twoFactor.turnOff')}
            </Button>
          </>
        ) : (
          <Button size="xs" onClick={() => setStep({ kind: 'confirm', action: 'enable' })}>
            {t('twoFactor.setUp')}
          </Button>
        )}
      </Group>
      <FormModal
        opened={step !== undefined && step.kind !== 'codes'}
        unsaved={step?.kind === 'set-up'}
        onClose={close}
        title={step?.kind === 'confirm' ? t(`twoFactor.titles.${step.action}`) : t('twoFactor.title')}
        closeOnClickOutside={false}
      >
        {step?.kind === 'confirm' && <ConfirmPasswordForm onConfirm={(password) => start(step.action, password)} />}
        {step?.kind === 'set-up' && (
          <TwoFactorSetup factor={step.factor} onDone={() => setStep({ kind: 'codes', codes: step.factor.backupCodes })} />
        )}
      </FormModal>
      <BackupCodes codes={step?.kind === 'codes' ? step.codes : undefined} onDone={close} />
    </Stack>
  )
}
