// Builds an image of a Dockerfile without an engine: each stage is a folder, and each RUN a program in it. It knows the instructions
// that the Dockerfiles of this repository have, and refuses others.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { runInRoot } from './root-process.mjs';

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * @typedef {object} Image
 * @property {string} root its folder
 * @property {string} folder where its program starts
 * @property {Record<string, string>} env
 * @property {readonly [number, number]} user ids of user and group
 * @property {string} stopSignal
 * @property {readonly string[]} entrypoint
 * @property {readonly string[]} command
 * @property {{ readonly command: readonly string[], readonly timeoutMs: number }} [health]
 *
 * @typedef {object} BuildOptions
 * @property {string} dockerfile its path
 * @property {Record<string, string>} args values for ARG
 * @property {(destination: string) => void} copyContext writes the context into a folder, without what is ignored
 * @property {(base: string, root: string, isLast: boolean) => void} writeBase writes the root folder of a base image
 * @property {readonly (readonly [string, string, string])[]} mounts of each RUN
 * @property {Record<string, string>} env of each RUN
 * @property {string} outside a folder for the stages
 * @property {Map<string, Image>} stages that were built before: one with an equal base and equal stages before it is built once
 */

/**
 * Builds all stages, and returns the image of the last.
 * @param {BuildOptions} options
 * @returns {Image}
 */
export function buildImage(options) {
  const { args, dockerfile, outside, stages, writeBase } = options;
  const values = {};
  const named = new Map();
  const groups = [];
  for (const each of DockerfileParser.parse(readFileSync(dockerfile, 'utf8')).getInstructions()) {
    if (each.getKeyword() === 'FROM') groups.push([each]);
    else if (groups.length > 0) groups.at(-1).push(each);
    else if (each.getKeyword() === 'ARG') {
      const { name, value } = argumentOf(each);
      values[name] = args[name] ?? value;
    } else throw new Error(`Cannot build ${dockerfile}: ${each.getKeyword()} is before FROM`);
  }
  let key = '';
  for (const [index, [from, ...steps]] of groups.entries()) {
    const base = from.getImage().replace(/\$\{(\w+)\}/g, (_, name) => values[name]);
    key += `${base} `;
    let image = stages.get(key);
    if (image === undefined) {
      image = newImage(join(outside, `stage-${stages.size}`));
      writeBase(base, image.root, index === groups.length - 1);
      for (const step of steps) runStep(step, image, { ...options, named });
      stages.set(key, image);
    }
    named.set(from.getBuildStage(), image);
    if (index === groups.length - 1) return image;
  }
  throw new Error(`Cannot build ${dockerfile}: it has no FROM`);
}

/** @returns {Image} */
function newImage(root) {
  mkdirSync(root, { recursive: true });
  return {
    root,
    folder: '/',
    env: { PATH },
    user: [0, 0],
    stopSignal: 'SIGTERM',
    entrypoint: [],
    command: [],
    health: undefined,
  };
}

const steps = {
  CMD: (step, image) => {
    image.command = wordsOf(step);
  },
  COPY: copy,
  ENTRYPOINT: (step, image) => {
    image.entrypoint = wordsOf(step);
  },
  ENV: (step, image) => {
    for (const each of step.getProperties()) image.env[each.getName()] = each.getValue();
  },
  // A port that is named is open in any case.
  EXPOSE: () => {},
  HEALTHCHECK: (step, image) => {
    const flags = Object.fromEntries(
      step.getFlags().map((each) => [each.getName(), each.getValue()]),
    );
    image.health = {
      command: JSON.parse(step.getArgumentsContent().replace(/^.*?CMD\s+/s, '')),
      timeoutMs: Number.parseFloat(flags.timeout) * 1000,
    };
  },
  RUN: run,
  STOPSIGNAL: (step, image) => {
    image.stopSignal = step.getArgumentsContent();
  },
  USER: (step, image) => {
    const [, user, group] = /^(\d+):(\d+)$/.exec(step.getArgumentsContent()) ?? [];
    if (group === undefined) throw new Error(`Cannot build: USER must be two numbers`);
    image.user = [Number(user), Number(group)];
  },
  WORKDIR: (step, image) => {
    image.folder = resolve(image.folder, step.getArgumentsContent());
    mkdirSync(join(image.root, image.folder), { recursive: true });
  },
};

function runStep(step, image, context) {
  const act = steps[step.getKeyword()];
  if (act === undefined) {
    const line = step.getRange().start.line + 1;
    throw new Error(`Cannot build: line ${line} has ${step.getKeyword()}, which is unknown here`);
  }
  act(step, image, context);
}

/** Runs a command as the stage's user, with caches of this machine where the line asks for caches. */
function run(step, image, { mounts, env }) {
  const words = /^((?:--\S+\s+)*)(.*)$/s.exec(step.getArgumentsContent());
  const [, flags, command] = words;
  const caches = [...flags.matchAll(/--mount=(\S+)/g)].map(([, settings]) => {
    const { type, target } = Object.fromEntries(settings.split(',').map((each) => each.split('=')));
    if (type !== 'cache') throw new Error(`Cannot build: a mount of type ${type} is unknown here`);
    mkdirSync(target, { recursive: true });
    return ['bind', target, target];
  });
  runInRoot(['/bin/sh', '-c', command], {
    root: image.root,
    folder: image.folder,
    user: image.user,
    env: { ...env, ...image.env, HOME: '/root' },
    mounts: [...mounts, ...caches, ['tmpfs', 'tmpfs', '/tmp']],
  });
}

function copy(step, image, { named, copyContext }) {
  const words = step.getArguments().map((each) => each.getValue());
  const from = step
    .getFlags()
    .find((each) => each.getName() === 'from')
    ?.getValue();
  const to = join(image.root, resolve(image.folder, words.at(-1)));
  if (from === undefined) {
    if (words.join(' ') !== '. .') throw new Error('Cannot build: COPY of a part of the context');
    mkdirSync(to, { recursive: true });
    copyContext(to);
    return;
  }
  const stage = named.get(from);
  for (const source of words.slice(0, -1)) {
    const path = join(stage.root, source);
    if (!existsSync(path)) throw new Error(`Cannot build: ${source} is not in stage ${from}`);
    mkdirSync(dirname(to), { recursive: true });
    execFileSync('cp', ['--archive', '--no-target-directory', path, to]);
  }
}

function argumentOf(step) {
  const [, name, value] = /^(\w+)=(\S+)$/.exec(step.getArgumentsContent()) ?? [];
  if (value === undefined) throw new Error('Cannot build: ARG must have a default');
  return { name, value };
}

function wordsOf(step) {
  const words = step.getJSONStrings().map((each) => each.getJSONValue());
  if (words.length === 0) throw new Error(`Cannot build: ${step.getKeyword()} must be a list`);
  return words;
}
