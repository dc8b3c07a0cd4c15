import type { RideMode } from '../model/journey.ts';

/** Factors by which emissions are estimated where a carrier has none, and their publisher. */
export const EMISSION_FACTORS = {
  source:
    'UK Department for Energy Security and Net Zero: Greenhouse gas reporting: conversion factors',
  year: 2025,
  /** Grams of CO2 equivalent for each passenger and kilometre. A vehicle of another kind has no factor, and so no estimate. */
  gramsPerKm: { train: 35.46, tram: 28.6, metro: 27.8, bus: 103.85, ferry: 18.71 },
  /** Length of a way by the great circle between its ends: lines are that much longer. */
  detour: 1.2,
} as const satisfies {
  readonly source: string;
  readonly year: number;
  readonly gramsPerKm: Readonly<Partial<Record<RideMode | 'train', number>>>;
  readonly detour: number;
};
