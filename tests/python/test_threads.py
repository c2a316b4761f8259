"""Worlds and batches in two threads."""

import pickle
import threading

import numpy as np
import pytest

import grashof

from models import pendulum


class Held:
    """A step of `stepped` that another thread makes, held within the callback of `world` until the end."""

    def __init__(self, world, stepped, *arguments):
        self.inside, self.leave, self.failed = threading.Event(), threading.Event(), None

        def callback(w):
            try:
                self.seen = w.time, w.reactions(), len(w.save())  # its own world, whatever thread steps it
            except Exception as error:
                self.failed = error
            self.inside.set()
            self.leave.wait(20)

        world.on_step(callback)
        self.thread = threading.Thread(target=lambda: stepped.step(*arguments))

    def __enter__(self):
        self.thread.start()
        assert self.inside.wait(20)
        return self

    def __exit__(self, *_):
        self.leave.set()
        self.thread.join(20)
        assert self.failed is None


def refused(*calls):
    for call in calls:
        with pytest.raises(grashof.CallError, match="in use by another call"):
            call()


def test_a_world_in_a_step_refuses_other_threads():
    world = grashof.World(pendulum(type="effort"))
    state, positions = world.save(), world.positions
    with Held(world, world):
        refused(world.save, lambda: world.restore(state), world.reset, world.update, world.project, world.step,
                lambda: pickle.dumps(world), world.reactions, world.loads, world.contacts, world.rates, world.efforts,
                lambda: world.positions, lambda: world.controls, lambda: world.energy, lambda: world.on_step(None),
                lambda: world.channel("energy.total"), lambda: grashof.MinimalCoordinates(world),
                lambda: grashof.mobility(world), lambda: grashof.linearize(world))
        assert np.all(np.isfinite(positions))
    assert world.step_count == 1
    world.on_step(None)
    world.step()
    assert world.step_count == 2


def test_a_batch_in_a_step_refuses_other_threads_and_so_do_its_worlds():
    batch = grashof.Batch(pendulum(type="effort"), 4)
    states, first, last = batch.save(), batch[0], batch[3]
    for threads in (1, 2):
        with Held(first, batch, 1, threads):
            refused(batch.save, lambda: batch.restore(states), batch.reset, batch.step, lambda: batch.controls,
                    lambda: batch.rollout(np.zeros((4, 1, 1))), lambda: batch[1], lambda: batch.contact_forces,
                    lambda: last.time, last.reset)
    assert last.step_count == 2


def test_a_batch_refuses_while_one_of_its_worlds_is_stepped():
    batch = grashof.Batch(pendulum(type="effort"), 2)
    one = batch[1]
    with Held(one, one):
        refused(batch.step, batch.reset, batch.save, lambda: batch.coordinates)
    batch[0].step()


def test_threads_that_step_one_batch_refuse_or_wait_but_never_crash():
    batch = grashof.Batch(pendulum(type="effort"), 8)
    made, others = [], []

    def step():
        for _ in range(50):
            try:
                batch.step(10, threads=2)
                made.append(1)
            except grashof.CallError:
                pass
            except Exception as error:
                others.append(error)

    threads = [threading.Thread(target=step) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made and not others
    assert batch[0].step_count == 10 * len(made)
