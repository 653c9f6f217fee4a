# Plays a scene with water without a screen: drops fall, and waves run over a shoal. Then it compares the field with that of the same number of
# steps by `harp run`, compares the speed with hand-written C, and writes a picture. Prints the results; the exit status is the number of
# failures. Environment variables: WATER_FRAMES (default 300), WATER_LIBRARY, WATER_BACKEND, WATER_OUTPUT (a directory), WATER_STEP (a file to
# use instead of water.harp), HARP_TOOL (the program harp; without it nothing is compared).
extends Node

const SIZE = 256

var frames = 300
var output = ""
var failures = 0
var started = false

func text(path):
	var file = File.new()
	if file.open(path, File.READ) != OK:
		fail("cannot read " + path)
		return ""
	return file.get_as_text()

func fail(what):
	failures += 1
	print("fail: ", what)

func variable(name, default):
	var value = OS.get_environment(name)
	return value if value != "" else default

# Round drops, a few cells wide.
func surface():
	var drops = [[70, 80, 5.0], [180, 60, 7.0], [128, 190, 6.0]]
	var h = PoolRealArray()
	h.resize(SIZE * SIZE)
	for at in range(h.size()):
		h.set(at, 0) # resize does not initialise new elements
	for drop in drops:
		for y in range(drop[1] - 24, drop[1] + 25):
			for x in range(drop[0] - 24, drop[0] + 25):
				var r2 = (x - drop[0]) * (x - drop[0]) + (y - drop[1]) * (y - drop[1])
				var at = y * SIZE + x
				h.set(at, h[at] + 0.25 * exp(-r2 / (2 * drop[2] * drop[2])))
	return h

# Deep water with a round shoal to the right of the middle.
func depth():
	var d = PoolRealArray()
	d.resize(SIZE * SIZE)
	for y in range(SIZE):
		for x in range(SIZE):
			var r2 = (x - 165) * (x - 165) + (y - 140) * (y - 140)
			d.set(y * SIZE + x, 1.0 - 0.85 * exp(-r2 / 1800.0))
	return d

func _ready():
	frames = int(variable("WATER_FRAMES", "300"))
	output = variable("WATER_OUTPUT", OS.get_user_data_dir())
	var field = $Field
	var step = text(variable("WATER_STEP", "res://water.harp"))
	if not field.setup(step, text("res://picture.harp"), SIZE, variable("WATER_LIBRARY", ""), variable("WATER_BACKEND", "")):
		fail("HarpField.setup")
		return
	print("backend: ", field.backend())
	started = field.start(surface(), depth())
	if not started:
		fail("HarpField.start")
		return
	for name in ["h", "u", "v", "depth"]:
		if not field.save(name, output + "/" + name + "_start.npy"):
			fail("HarpField.save")
	field.play(frames)

# In each frame the engine calls this function before the _process of the child node Field, which does a step. The scene therefore ends in
# the frame after the last step.
func _process(_delta):
	if started and $Field.frames_left() > 0:
		return
	if started:
		times()
		save()
		compare()
		measure()
		picture()
	print("failures: ", failures)
	get_tree().quit(failures)

func times():
	var taken = Array($Field.frame_times())
	if taken.size() != frames:
		fail("%d steps in %d frames" % [taken.size(), frames])
		return
	taken.sort()
	print("step in _process: median %.1f us, 99 of 100 below %.1f us, longest %.1f us, %d frames" %
			[taken[frames / 2], taken[frames * 99 / 100], taken[frames - 1], frames])

func digest(path):
	return File.new().get_sha256(path)

func save():
	for name in ["h", "u", "v"]:
		var path = "%s/%s_here.npy" % [output, name]
		if not $Field.save(name, path):
			fail("HarpField.save")
		print("%s after %d steps: sha256 %s" % [name, frames, digest(path)])

# Runs `harp run` once for each step, starting with the arrays that were saved before the first step.
func compare():
	var tool_path = OS.get_environment("HARP_TOOL")
	if tool_path == "":
		print("not compared: HARP_TOOL is not set")
		return
	for step in range(frames):
		var arguments = ["run", ProjectSettings.globalize_path("res://water.harp"), "--input", "depth=%s/depth_start.npy" % output]
		var from = "start" if step == 0 else str(step % 2)
		for name in ["h", "u", "v"]:
			arguments += ["--input", "%s=%s/%s_%s.npy" % [name, output, name, from]]
			arguments += ["--output", "%s=%s/%s_%d.npy" % [name, output, name, (step + 1) % 2]]
		var said = []
		if OS.execute(tool_path, arguments, true, said, true) != 0:
			fail("harp run: " + str(said))
			return
	for name in ["h", "u", "v"]:
		if digest("%s/%s_here.npy" % [output, name]) != digest("%s/%s_%d.npy" % [output, name, frames % 2]):
			fail("%s differs from harp run after %d steps" % [name, frames])
	if failures == 0:
		print("harp run gives the same after %d steps" % frames)

func measure():
	var figures = $Field.measure(int(variable("WATER_ROUNDS", "40")))
	if figures.size() != 4:
		fail("HarpField.measure")
		return
	print("a step: harp %.1f us, by hand in two sweeps %.1f us, in one sweep %.1f us; harp / the faster one %.2f" %
			[figures[0], figures[1], figures[2], figures[0] / min(figures[1], figures[2])])
	if figures[3] != 1:
		fail("harp and the step by hand differ")

func picture():
	var image = Image.new()
	image.create_from_data(SIZE, SIZE, false, Image.FORMAT_RGB8, $Field.picture())
	image.resize(2 * SIZE, 2 * SIZE, Image.INTERPOLATE_CUBIC)
	if image.save_png(output + "/water.png") != OK:
		fail("cannot write " + output + "/water.png")
	else:
		print("picture: ", output, "/water.png")
