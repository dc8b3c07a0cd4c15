import { localTimeAt } from '../timetable/local-clock.ts';
import { stationOf } from '../timetable/network.ts';
import type { Train, TrainFare, TrainRun } from '../timetable/train.ts';
import { type ScriptValue, writeDwrScript } from './dwr-script.ts';

/** Writes the body with which Renfe answers a search: a DWR script with one list of trains. */
export function encodeRenfe(trains: readonly Train[]): string {
  const listadoTrenes = [{ listviajeViewEnlaceBean: trains.map(encodeTrain) }];
  return writeDwrScript({ handler: 'handleCallback', batch: '1', value: { listadoTrenes } });
}

function encodeTrain(train: Train): ScriptValue {
  const fares = train.fares.filter(({ seller }) => seller === 'renfe');
  const { cdgoEstacionOrigen, cdgoEstacionDestino, ...times } = encodeRun(train);
  return {
    ...times,
    duracionViajeTotalEnMinutos: (train.arrivalMs - train.departureMs) / 60_000,
    tipoTrenUno: train.brand,
    ...(train.connection && { tipoTrenDos: train.connection[1].brand }),
    completo: fares.length === 0,
    cdgoEstacionOrigen,
    cdgoEstacionDestino,
    trayectos: train.connection
      ? train.connection.map((run) => ({ cdgoTren: run.number, ...encodeRun(run) }))
      : [{ cdgoTren: train.number }],
    tarifasDisponibles: fares.map(encodeFare),
  };
}

interface RunFields {
  readonly [key: string]: string;
  readonly fecha: string;
  readonly horaSalida: string;
  readonly horaLlegada: string;
  readonly cdgoEstacionOrigen: string;
  readonly cdgoEstacionDestino: string;
}

function encodeRun(run: TrainRun): RunFields {
  const origin = stationOf(run.origin);
  const destination = stationOf(run.destination);
  const departure = localTimeAt(run.departureMs, origin.zone);
  return {
    fecha: departure.date,
    horaSalida: departure.time,
    horaLlegada: localTimeAt(run.arrivalMs, destination.zone).time,
    cdgoEstacionOrigen: origin.renfeCode,
    cdgoEstacionDestino: destination.renfeCode,
  };
}

function encodeFare({ code, name, cents }: TrainFare): ScriptValue {
  const precioTarifa = `${grouped(Math.floor(cents / 100))},${String(cents % 100).padStart(2, '0')}`;
  return { codigoTarifa: code, titulo: name, precioTarifa };
}

/** `1071` → `1.071` */
function grouped(euros: number): string {
  if (euros < 1000) return String(euros);
  return `${grouped(Math.floor(euros / 1000))}.${String(euros % 1000).padStart(3, '0')}`;
}
