import { expect, test, vi } from 'vitest';
import { eventually, sharedProcess, startDemo, startHostProgram } from '../../demo.ts';
import { describeWithNats, newFleet, sharedNats } from '../../fleet.ts';
import { describeInBrowser, sharedBrowser, violationsOf } from './browser.ts';

vi.setConfig({ testTimeout: 240_000 });

describeWithNats('with nats-server', () => {
  describeInBrowser('the operator’s page of a fleet', () => {
    const server = sharedProcess(
      ...['--dispatch', 'nats', '--coalesce', 'fleet', '--latency', '5', '--zone', 'here'],
    );
    const nats = sharedNats();
    const browser = sharedBrowser();

    /** Cells of the hosts of a fleet: name, state, zone, round trip, credit. */
    async function hostsOn(page: Awaited<ReturnType<typeof browser.open>>, what: string) {
      const rows = await page.locator('#hosts tbody tr[data-key]').all();
      const cells = await Promise.all(rows.map((row) => row.locator('th, td').allTextContents()));
      return cells
        .filter(([, use]) => use === what)
        .map(([name = '', , state, zone, rtt, credit]) => ({
          ...{ name: name.split(' ')[0], state: state?.replace(/^\W+/, ''), zone, rtt, credit },
        }))
        .sort((one, other) => String(one.name).localeCompare(String(other.name)));
    }

    test('hosts with their round trip and credit; one is killed, is lost, and has a successor', async () => {
      const page = await browser.open();
      await page.goto(`${server().url}/operator`);
      await page.waitForSelector('main[data-state=live]');
      expect(await page.textContent('main')).toContain(
        'carriers are asked by the hosts of fleet demo; identical searches are shared by all hosts of fleet demo.',
      );
      const figures = { zone: 'here', rtt: expect.stringMatching(/ ms$/) };
      await eventually(async () => {
        expect(await hostsOn(page, 'tasks of carriers')).toEqual([
          { name: 'host-0', state: 'joined', credit: '128', ...figures },
          { name: 'host-1', state: 'joined', credit: '128', ...figures },
        ]);
        const owners = await hostsOn(page, 'questions');
        expect(owners.map(({ state }) => state).sort()).toEqual(['joined', 'joined', 'this one']);
      });
      expect(await violationsOf(page)).toEqual([]);
      const idOf = (name: string) =>
        page.locator(`#hosts tr[data-key*=" tasks ${name}."]`).getAttribute('data-key');
      const before = await idOf('host-1');
      await page.click('[data-kill="host-1"]');
      await page.click('[data-confirm="host-1"]');
      await eventually(async () => {
        const events = await page.locator('#events [data-kind=host-lost]').allTextContents();
        expect(events).toContainEqual(expect.stringContaining('Host host-1.'));
        expect(await idOf('host-1')).not.toBe(before);
      });
      await eventually(async () => {
        const states = (await hostsOn(page, 'tasks of carriers')).map(({ state }) => state);
        expect(states).toEqual(['joined', 'joined']);
      });
    });

    test('a host that leaves is shown as leaving; one that stops is silent; neither can be killed from here', async () => {
      const flags = ['--nats-url', nats().url, '--fleet', newFleet()];
      const demo = await startDemo([...flags, '--dispatch', 'nats', '--latency', '2000']);
      const carriers = ['--carriers-url', demo.carriersUrl];
      const start = (name: string) => startHostProgram([...flags, ...carriers, '--name', name]);
      const [one, two] = await Promise.all([start('one'), start('two')]);
      const page = await browser.open();
      await page.goto(`${demo.url}/operator`);
      const stateOf = async (name: string) =>
        (await hostsOn(page, 'tasks of carriers')).find((host) => host.name === name)?.state;
      await eventually(async () => {
        expect([await stateOf('one'), await stateOf('two')]).toEqual(['joined', 'joined']);
        expect(await page.locator('#processes tr[data-key=two]').count()).toBe(1);
      });
      expect(await page.locator('[data-kill=one]').count()).toBe(0);
      two?.child.kill('SIGSTOP');
      await eventually(async () =>
        expect(await hostsOn(page, 'tasks of carriers')).toContainEqual(
          expect.objectContaining({ name: 'two', state: 'silent' }),
        ),
      );
      two?.child.kill('SIGCONT');
      await eventually(async () =>
        expect(await hostsOn(page, 'tasks of carriers')).toContainEqual(
          expect.objectContaining({ name: 'two', state: 'joined' }),
        ),
      );
      one?.child.kill('SIGTERM');
      await eventually(async () => {
        const events = await page.locator('#events [data-kind=host-leaving]').allTextContents();
        expect(events).toContainEqual(expect.stringContaining('Host one.'));
      });
      expect(await one?.exit()).toBe(0);
      await eventually(async () => expect(await stateOf('one')).toBeUndefined());
    });
  });
});
